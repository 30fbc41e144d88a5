// Package gjkd is a client of gjkd, the collision-query daemon.
package gjkd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// M is a JSON object.
type M = map[string]any

// Client is a client of one daemon. Goroutines may share it.
type Client struct {
	url, token string
	retries    int
	http       *http.Client
}

// Option is a setting of a client.
type Option func(*Client)

// Token sets the bearer token of every call.
func Token(token string) Option { return func(c *Client) { c.token = token } }

// Retries sets the maximum number of retries after 429, 503 or a failed connection. The default is 2.
func Retries(n int) Option { return func(c *Client) { c.retries = n } }

// HTTP sets the HTTP client.
func HTTP(client *http.Client) Option { return func(c *Client) { c.http = client } }

// New returns a client of the daemon at an address such as http://127.0.0.1:8080.
func New(url string, options ...Option) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	transport.DisableCompression = true
	c := &Client{url: strings.TrimRight(url, "/"), retries: 2, http: &http.Client{Transport: transport, CheckRedirect: stay}}
	for _, option := range options {
		option(c)
	}
	return c
}

// stay follows no redirect, which could send the token to another server or repeat the call.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// jittered shortens a pause at random, by at most half, so that clients do not all reconnect at once after an outage.
func jittered(pause time.Duration) time.Duration {
	return pause - time.Duration(rand.Int63n(int64(pause)/2+1))
}

// Problem is a refusal (RFC 9457). A refused write has changed nothing, unless the status is 504.
type Problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Hint   string `json:"hint"`
	Limit  any    `json:"limit"`
	Errors []struct {
		Pointer string `json:"pointer"`
		Code    string `json:"code"`
		Detail  string `json:"detail"`
	} `json:"errors"`
	ETag string `json:"-"`
}

// Pointer is the place of the first mistake, "" if there is none.
func (p *Problem) Pointer() string {
	if len(p.Errors) == 0 {
		return ""
	}
	return p.Errors[0].Pointer
}

func (p *Problem) Error() string {
	text := fmt.Sprintf("gjkd: %d %s", p.Status, p.Code)
	if p.Pointer() != "" {
		text += " at " + p.Pointer()
	}
	text += ": " + p.Detail
	if p.Hint != "" {
		text += " (" + p.Hint + ")"
	}
	return text
}

// Reply has the members of all answers.
type Reply struct {
	Status int         `json:"-"` // 304: not changed, and the rest is empty
	ETag   string      `json:"-"` // IfMatch and IfNoneMatch take it
	Header http.Header `json:"-"`
}

func (r *Reply) reply() *Reply { return r }

type answer interface{ reply() *Reply }

// Setting is a header or a parameter of one call.
type Setting func(*call)

type call struct {
	method, path string
	query        url.Values
	header       http.Header
	body         []byte
	repeatable   bool
}

func header(name, value string) Setting { return func(c *call) { c.header.Set(name, value) } }

// IfMatch refuses the call unless the set (or the shape, in a call on a shape) has this ETag.
func IfMatch(etag string) Setting { return header("If-Match", etag) }

// IfNoneMatch takes "*" (only create), or the ETag of the caller's copy, which a GET then does not send again.
func IfNoneMatch(etag string) Setting { return header("If-None-Match", etag) }

// MinRevision waits until the node of a cluster has this revision.
func MinRevision(n uint64) Setting {
	return header("Gjkd-Min-Revision", strconv.FormatUint(n, 10))
}

// Linearizable makes a node of a cluster answer with a state that is not older than the call.
func Linearizable() Setting { return header("Gjkd-Consistency", "linearizable") }

// Param sets a parameter of the URL: Param("fields", "handles").
func Param(name, value string) Setting { return func(c *call) { c.query.Set(name, value) } }

func (c *Client) request(ctx context.Context, asked *call) (*http.Request, error) {
	target := c.url + asked.path
	if len(asked.query) > 0 {
		target += "?" + asked.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, asked.method, target, bytes.NewReader(asked.body))
	if err != nil {
		return nil, err
	}
	request.Header = asked.header.Clone()
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline).Milliseconds()
		if left < 1 {
			left = 1
		}
		request.Header.Set("Gjkd-Timeout-Ms", strconv.FormatInt(left, 10))
	}
	return request, nil
}

// send sends a call. It retries after 429, 503 or a failed connection, and repeatable calls also if no answer came.
func (c *Client) send(ctx context.Context, asked *call) (*http.Response, []byte, error) {
	for attempt := 0; ; attempt++ {
		wait := jittered(pauseFirst << (attempt % 7))
		request, err := c.request(ctx, asked)
		if err != nil {
			return nil, nil, err
		}
		response, err := c.http.Do(request)
		var body []byte
		if err == nil {
			body, err = io.ReadAll(response.Body)
			response.Body.Close()
		}
		if err == nil && (response.StatusCode < 300 || response.StatusCode == http.StatusNotModified) {
			return response, body, nil
		}
		again := attempt < c.retries && ctx.Err() == nil
		if err != nil {
			again = again && (asked.repeatable || isDial(err))
		} else {
			err = problemOf(response, body)
			again = again && (response.StatusCode == 429 || response.StatusCode == 503)
			if seconds, bad := strconv.Atoi(response.Header.Get("Retry-After")); bad == nil && time.Duration(seconds)*time.Second > wait {
				wait = time.Duration(seconds) * time.Second
				again = again && wait <= retryAfterMax
			}
		}
		if deadline, ok := ctx.Deadline(); !again || ok && time.Until(deadline) < wait {
			return nil, nil, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

func problemOf(response *http.Response, body []byte) *Problem {
	problem := &Problem{Detail: response.Status}
	_ = json.Unmarshal(body, problem) // fails for a proxy's page
	problem.Status, problem.ETag = response.StatusCode, response.Header.Get("ETag")
	return problem
}

const protobuf = "application/x-protobuf"

const retryAfterMax = time.Minute // a call with a longer Retry-After fails at once

// do makes a call with a body (nil: none), and decodes its answer, JSON or a message, into out.
func (c *Client) do(ctx context.Context, method, path string, body, out any, settings []Setting) error {
	asked := &call{method: method, path: path, query: url.Values{}, header: http.Header{}}
	asked.repeatable = method == "GET" || method == "HEAD" || method == "POST" || strings.Contains(path, "/ticks/")
	for _, setting := range settings {
		setting(asked)
	}
	if strings.Contains(path, "/ticks/") && (asked.header.Get("If-Match") != "" || asked.header.Get("If-None-Match") != "") {
		asked.repeatable = method == "GET" // if the first succeeded, the condition would refuse the second
	}
	if leavesPath(path) {
		return fmt.Errorf("gjkd: %q has a name that is none", path)
	}
	if isMessage(body) {
		asked.header.Set("Content-Type", protobuf)
		if kind := reflect.TypeOf(body).Elem().Name(); kind == "NearestColumns" || kind == "OverlapColumns" {
			asked.header.Set("Content-Type", protobuf+"; message="+kind)
		}
		asked.body = appendMessage(nil, reflect.ValueOf(body))
	} else if lines, ok := body.(string); ok {
		asked.header.Set("Content-Type", "application/x-ndjson")
		asked.body, asked.repeatable = []byte(lines), false
	} else if body != nil {
		asked.header.Set("Content-Type", "application/json")
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		asked.body = text
	}
	response, text, err := c.send(ctx, asked)
	if err != nil {
		return err
	}
	if told, ok := out.(answer); ok {
		*told.reply() = Reply{response.StatusCode, response.Header.Get("ETag"), response.Header}
	}
	switch out := out.(type) {
	case nil:
		return nil
	case *string:
		*out = string(text)
		return nil
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), protobuf) {
		return readMessage(text, reflect.ValueOf(out))
	}
	if len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, out)
}

// leavesPath reports whether a path has an empty, "." or ".." segment, which proxies remove.
func leavesPath(path string) bool {
	for _, segment := range strings.Split(path[1:], "/") {
		if segment == "" || segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// isMessage reports whether a body is a pointer to one of the structs of messages.go.
func isMessage(body any) bool {
	kind := reflect.TypeOf(body)
	if kind == nil || kind.Kind() != reflect.Pointer || kind.Elem().Kind() != reflect.Struct || kind.Elem().NumField() == 0 {
		return false
	}
	return kind.Elem().Field(0).Tag.Get("gjkd") != ""
}

// isDial reports whether connecting failed, so that nothing was sent.
func isDial(err error) bool {
	var trouble *net.OpError
	return errors.As(err, &trouble) && trouble.Op == "dial"
}

package gjkd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	silence    = 45 * time.Second // after which a watch reconnects; the daemon sends something every 15 s
	pauseFirst = 100 * time.Millisecond
	pauseMax   = 5 * time.Second
)

// Event is an event of a set: change, overlap, reset or deleted.
type Event struct {
	ID       string       `json:"-"` // Since takes it
	Kind     string       `json:"kind"`
	Revision uint64       `json:"revision"`
	Tick     *float64     `json:"tick"`
	Shapes   map[string]M `json:"shapes"` // nil: removed
	All      bool         `json:"all"`
	Begin    [][2]string  `json:"begin"`
	End      [][2]string  `json:"end"`
}

// Since starts a watch after a revision, an event's ID or an ETag.
func Since(id string) Setting { return Param("since", strings.Trim(id, `"`)) }

// Watcher yields the events of a set.
type Watcher struct {
	client *Client
	ctx    context.Context
	asked  *call
	last   string
	opened bool
	body   io.ReadCloser
	lines  *bufio.Reader
	watch  *time.Timer
	done   bool
	bad    bool // the set's name is invalid
}

// Watch follows a set until it is deleted or ctx ends; Param("kinds", "change,overlap") selects kinds of events.
// After a lost connection it resumes behind the last event.
func (c *Client) Watch(ctx context.Context, set string, settings ...Setting) *Watcher {
	asked := &call{method: "GET", path: inSet(set, "/events"), query: url.Values{}, header: http.Header{}}
	for _, setting := range settings {
		setting(asked)
	}
	return &Watcher{client: c, ctx: ctx, asked: asked, bad: leavesPath(asked.path)}
}

// Next returns the next event, or io.EOF if the set was deleted.
func (w *Watcher) Next() (*Event, error) {
	for pause := pauseFirst; !w.done; {
		err := w.open()
		var event *Event
		if err == nil {
			event, err = w.read()
		}
		if err == nil {
			w.done = event.Kind == "deleted" && w.asked.query.Get("wait") == ""
			return event, nil
		}
		w.close()
		var problem *Problem
		refused := errors.As(err, &problem)
		if refused && problem.Code == "set-not-found" && w.last != "" {
			break // the set was deleted meanwhile
		}
		if w.ctx.Err() != nil || refused && problem.Status != 429 && problem.Status != 503 || !refused && !w.opened {
			return nil, err
		}
		select {
		case <-time.After(jittered(pause)):
		case <-w.ctx.Done():
			return nil, w.ctx.Err()
		}
		if pause *= 2; pause > pauseMax {
			pause = pauseMax
		}
	}
	w.Close()
	return nil, io.EOF
}

// Close ends the watch.
func (w *Watcher) Close() {
	w.done = true
	w.close()
}

func (w *Watcher) close() {
	if w.body != nil {
		w.watch.Stop()
		w.body.Close()
		w.body = nil
	}
}

func (w *Watcher) open() error {
	if w.body != nil {
		return nil
	}
	if w.bad {
		return fmt.Errorf("gjkd: %q has a name that is none", w.asked.path)
	}
	w.asked.header.Set("Accept", "text/event-stream")
	if w.last != "" {
		w.asked.header.Set("Last-Event-ID", w.last)
	}
	ctx, cancel := context.WithCancel(w.ctx)
	request, err := w.client.request(ctx, w.asked)
	if err != nil {
		cancel()
		return err
	}
	request.Header.Del("Gjkd-Timeout-Ms")
	w.watch = time.AfterFunc(silence, cancel)
	response, err := w.client.http.Do(request)
	if err != nil {
		cancel()
		return err
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		cancel()
		w.opened = true
		return problemOf(response, text)
	}
	w.opened = true
	w.body, w.lines = response.Body, bufio.NewReader(response.Body)
	return nil
}

func (w *Watcher) read() (*Event, error) {
	data := ""
	for {
		line, err := w.lines.ReadString('\n')
		if err != nil {
			return nil, err
		}
		w.watch.Reset(silence)
		name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		switch {
		case name == "id":
			w.last = value
		case name == "data":
			data += value
		case name == "" && value == "" && data != "":
			event := &Event{ID: w.last}
			return event, json.Unmarshal([]byte(data), event)
		}
	}
}

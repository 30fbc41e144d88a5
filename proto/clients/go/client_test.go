package gjkd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// start runs a daemon until the test ends, and returns its URL and what stops it.
func start(t *testing.T, flags ...string) (string, func()) {
	t.Helper()
	binary := os.Getenv("GJKD_BINARY")
	if binary == "" {
		t.Fatal("GJKD_BINARY names no daemon")
	}
	command := exec.Command(binary, append([]string{"--listen", "127.0.0.1:0"}, flags...)...)
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	stop := func() {
		once.Do(func() {
			_ = command.Process.Signal(os.Interrupt)
			if err := command.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(stop)
	words := strings.Fields(line)
	return words[len(words)-1], stop
}

func must[T any](t *testing.T) func(T, error) T {
	return func(out T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

func equal(t *testing.T, told, wanted any) {
	t.Helper()
	if !reflect.DeepEqual(told, wanted) {
		t.Fatalf("%v, not %v", told, wanted)
	}
}

var room = M{"dimension": 2, "history": M{"ticks": 8}, "shapes": M{
	"ada":  M{"type": "circle", "radius": 0.5},
	"wall": M{"type": "box", "half_extents": []float64{1, 1}, "position": []float64{4, 0}}}}

var ctx = context.Background()

func TestMainJob(t *testing.T) {
	url, _ := start(t)
	k := New(url)
	made := must[*Summary](t)(k.PutSet(ctx, "room", room, Param("fields", "handles")))
	equal(t, []int{made.Status, made.Shapes}, []int{201, 2})
	equal(t, must[*Pairs](t)(k.Distance(ctx, "room", M{"a": "ada", "b": "wall"})).Distance, 2.5)
	equal(t, must[*Pairs](t)(k.Detect(ctx, "room", M{"a": M{"id": "ada", "position": []int{3, 0}}})).Hits[0].ID, "wall")
	hits := must[*Hits](t)(k.Raycast(ctx, "room", M{"origin": []int{0, 0}, "direction": []int{1, 0}, "solid": false}))
	equal(t, []any{*hits.Hits[0].ID, hits.Hits[0].Distance}, []any{"wall", 3.0})
	equal(t, must[*Hits](t)(k.Cast(ctx, "room", M{"shape": "ada", "translation": []int{8, 0}})).Hits[0].Fraction, 2.5/8)
	equal(t, must[*Moved](t)(k.Move(ctx, "room", M{"shape": "ada", "translation": []int{8, 0}})).Contacts[0].Normal, []float64{-1, 0})
	inline := M{"a": M{"type": "point"}, "b": M{"type": "point", "position": []int{3, 4}}}
	equal(t, must[*Pairs](t)(k.Distance(ctx, "", inline)).Distance, 5.0)
	equal(t, must[*Document](t)(k.PutShape(ctx, "room", "a/b", M{"type": "point"})).M["handle"], 3.0)
	if err := k.DeleteShape(ctx, "room", "a/b"); err != nil {
		t.Fatal(err)
	}
	if told := must[*Set](t)(k.GetSet(ctx, "room")); len(told.Shapes) != 2 || told.ETag == "" {
		t.Fatal(told)
	}
	tick := must[*Summary](t)(k.Tick(ctx, "room", 7, M{"shapes": M{"ada": M{"position": []int{4, 0}}}, "overlaps": M{},
		"queries": []M{{"op": "detect", "a": "ada", "b": "wall"}}}))
	equal(t, tick.Overlaps.Begin, [][2]string{{"ada", "wall"}})
	equal(t, []any{*tick.Tick, len(tick.Results)}, []any{7.0, 1})
	equal(t, must[*TickRange](t)(k.GetTicks(ctx, "room")).Count, 1)
	equal(t, must[*SetPage](t)(k.ListSets(ctx)).Sets[0].Name, "room")
	lines := must[string](t)(k.ExportSets(ctx))
	if err := k.DeleteSet(ctx, "room"); err != nil {
		t.Fatal(err)
	}
	must[*Document](t)(k.ImportSets(ctx, lines))
	if !strings.Contains(must[string](t)(k.Metrics(ctx)), "gjkd_sets 1") {
		t.Fatal("a set is not counted")
	}
}

func TestTickLoop(t *testing.T) {
	url, _ := start(t)
	k := New(url)
	must[*Summary](t)(k.PutSet(ctx, "room", room))
	for n := 1; n <= 20; n++ {
		tick := must[*Summary](t)(k.Tick(ctx, "room", uint64(n), M{"shapes": M{"ada": M{"position": []float64{float64(n) / 8, 0}}},
			"overlaps": M{}, "queries": []M{{"op": "distance", "a": "ada", "b": "wall"}}}))
		var gap Pairs
		if err := json.Unmarshal(tick.Results[0], &gap); err != nil {
			t.Fatal(err)
		}
		equal(t, []any{*tick.Tick, gap.Distance}, []any{float64(n), 2.5 - float64(n)/8})
	}
	quiet := must[*Summary](t)(k.Tick(ctx, "room", 21, M{"shapes": M{"ada": M{"position": []int{2, 0}}}}))
	equal(t, []any{*quiet.Tick, len(quiet.Results)}, []any{21.0, 0})
	shot := must[*Verdict](t)(k.Hit(ctx, "room", M{"at": M{"tick": 18.5}, "claim": M{"id": "ada"},
		"ray": M{"origin": []float64{18.5 / 8, 5}, "direction": []int{0, -1}}}))
	equal(t, shot.Verdict, "confirmed")
}

func TestColumns(t *testing.T) {
	url, _ := start(t)
	k := New(url)
	made := must[*Summary](t)(k.PutSet(ctx, "room", room, Param("fields", "handles")))
	ada, wall := made.Handles["ada"], made.Handles["wall"]
	rays := must[*RaycastAnswers](t)(k.RaycastColumns(ctx, "room", &RaycastColumns{Dimension: 2,
		Origin: []float64{2, 0, 2, 5}, Direction: []float64{1, 0, 1, 0}}))
	equal(t, rays.Handle, []uint32{wall, NoHandle})
	equal(t, rays.Distance, []float64{1, 0})
	pairs := must[*PairAnswers](t)(k.DistanceColumns(ctx, "room", &PairColumns{Dimension: 2, A: []uint32{ada}, B: []uint32{wall}}))
	equal(t, pairs.Value, []float64{2.5})
	moved := must[*MoveAnswers](t)(k.MoveColumns(ctx, "room", &MoveColumns{Dimension: 2, Shape: []uint32{ada}, Translation: []float64{0, 3}}))
	equal(t, moved.Position, []float64{0, 3})
	nearest := must[*NearestAnswers](t)(k.NearestColumns(ctx, "room", &NearestColumns{Dimension: 2, Shape: []uint32{ada}}))
	equal(t, []any{nearest.Handle, nearest.Value}, []any{[]uint32{wall}, []float64{2.5}})
	overlaps := must[*OverlapAnswers](t)(k.OverlapColumns(ctx, "room", &OverlapColumns{Dimension: 2, Shape: []uint32{ada}, Position: []float64{0, 0, 3, 0}}))
	equal(t, []any{overlaps.Count, overlaps.Handle}, []any{[]uint32{0, 1}, []uint32{wall}})
	rows := must[*ConfigurationAnswers](t)(k.ConfigurationColumns(ctx, "room", &ConfigurationColumns{Dimension: 2,
		Shape: []uint32{ada}, Position: []float64{0, 0, 3, 0}}))
	equal(t, rows.Colliding, []uint32{0, 1})
	told := must[*TickAnswers](t)(k.TickColumns(ctx, "room", 3, &TickColumns{
		Poses: &PoseColumns{Dimension: 2, Handle: []uint32{ada}, Position: []float64{1, 0}}, Block: []*Block{
			{Raycast: &RaycastColumns{Dimension: 2, Origin: []float64{2, 0}, Direction: []float64{1, 0}}},
			{Distance: &PairColumns{Dimension: 2, A: []uint32{ada}, B: []uint32{wall}}}}}))
	equal(t, []any{told.Block[0].Raycast.Handle, told.Block[1].Distance.Value}, []any{[]uint32{wall}, []float64{1.5}})
	batch := must[*BatchAnswers](t)(k.BatchColumns(ctx, "room", &BatchColumns{Dimension: 2, Block: []*Block{
		{Move: &MoveColumns{Dimension: 2, Shape: []uint32{ada}, Translation: []float64{0, 3}}}}}))
	equal(t, batch.Block[0].Move.Position, []float64{1, 3})
	tetrahedron := &BodyColumns{Dimension: 3, Type: "mesh", Closed: true, VerticesFloat: []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
		Triangles: []uint32{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}}
	must[*Summary](t)(k.PutSet(ctx, "level", M{"dimension": 3}))
	equal(t, must[*Document](t)(k.PutShape(ctx, "level", "rock", tetrahedron)).M["pieces"], 4.0)
	inside := must[*Pairs](t)(k.Detect(ctx, "level", M{"a": "rock", "b": M{"type": "point", "position": []float64{0.1, 0.1, 0.1}}}))
	equal(t, inside.State, "overlapping")
}

func TestErrorsAndConditions(t *testing.T) {
	url, _ := start(t)
	k := New(url)
	_, err := k.Detect(ctx, "", M{"a": M{"type": "circle", "raduis": 1}, "b": M{"type": "point"}})
	var problem *Problem
	if !errors.As(err, &problem) {
		t.Fatal(err)
	}
	equal(t, []any{problem.Status, problem.Code, problem.Pointer(), problem.Hint}, []any{422, "unknown-member", "/a/raduis", `did you mean "radius"?`})
	first := must[*Summary](t)(k.PutSet(ctx, "room", room, IfNoneMatch("*")))
	second := must[*Summary](t)(k.PatchSet(ctx, "room", M{"shapes": M{"wall": nil}}, IfMatch(first.ETag)))
	if err = k.DeleteSet(ctx, "room", IfMatch(first.ETag)); !errors.As(err, &problem) || problem.Code != "revision-mismatch" {
		t.Fatal(err)
	}
	equal(t, must[*Set](t)(k.GetSet(ctx, "room", IfNoneMatch(second.ETag))).Status, 304)
	crowd := M{}
	for i := 0; i < 6000; i++ {
		crowd[string(rune('a'+i%26))+strings.Repeat("x", i/26%100)+string(rune('a'+i/2600))] = M{"type": "circle", "radius": 9, "position": []int{i % 100, i / 100}}
	}
	must[*Summary](t)(k.PutSet(ctx, "crowd", M{"dimension": 2, "shapes": crowd}))
	soon, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if _, err = k.Detect(soon, "crowd", M{}); !errors.Is(err, context.DeadlineExceeded) && !(errors.As(err, &problem) && problem.Status == 504) {
		t.Fatal(err)
	}
}

func TestOnlyWhatIsSafeIsAskedTwice(t *testing.T) {
	count, timeout := 0, ""
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count, timeout = count+1, r.Header.Get("Gjkd-Timeout-Ms")
		switch {
		case strings.HasSuffix(r.URL.Path, "busy"):
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(503)
		case strings.HasSuffix(r.URL.Path, "moved"):
			http.Redirect(w, r, "/v1/sets/elsewhere", 302)
		case r.Method == "PATCH" || r.Method == "PUT" || count < 2: // the connection ends without an answer
			connection, _, _ := w.(http.Hijacker).Hijack()
			connection.Close()
		case count < 3:
			w.WriteHeader(503)
			_, _ = io.WriteString(w, `{"code": "overloaded"}`)
		default:
			_, _ = io.WriteString(w, `{"distance": 1}`)
		}
	}))
	defer busy.Close()
	k := New(busy.URL)
	late, cancel := context.WithTimeout(ctx, 50*time.Second)
	defer cancel()
	equal(t, must[*Pairs](t)(k.Distance(late, "a", M{})).Distance, 1.0)
	equal(t, count, 3)
	if len(timeout) != 5 {
		t.Fatal(timeout)
	}
	count = 0
	if _, err := k.PatchSet(ctx, "a", M{}); err == nil || count != 1 {
		t.Fatal(err, count)
	}
	count = 0
	if _, err := k.PutTick(ctx, "a", 4, M{}, IfMatch(`"x"`)); err == nil || count != 1 {
		t.Fatal(err, count)
	}
	for name, status := range map[string]int{"busy": 503, "moved": 302} { // neither waited for nor followed
		var problem *Problem
		if _, err := k.GetSet(ctx, name); !errors.As(err, &problem) || problem.Status != status {
			t.Fatal(err)
		}
	}
	equal(t, count, 3)
	for _, name := range []string{"", ".", ".."} {
		if err := k.DeleteShape(ctx, "a", name); err == nil || count != 3 {
			t.Fatal(err, count)
		}
	}
}

func TestWatchOutlivesTheDaemon(t *testing.T) {
	data := t.TempDir()
	url, stop := start(t, "--data-dir", data)
	k := New(url)
	must[*Summary](t)(k.PutSet(ctx, "room", room))
	w := k.Watch(ctx, "room", Since("1"))
	defer w.Close()
	must[*Summary](t)(k.PatchSet(ctx, "room", M{"shapes": M{"ada": M{"position": []int{1, 0}}}}))
	event := must[*Event](t)(w.Next())
	equal(t, []any{event.Kind, event.Revision, event.Shapes["ada"]["position"]}, []any{"change", uint64(2), []any{1.0, 0.0}})
	stop()
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
	_, stop = start(t, "--data-dir", data, "--listen", address)
	must[*Summary](t)(k.PatchSet(ctx, "room", M{"shapes": M{"ada": M{"position": []int{2, 0}}}}))
	event = must[*Event](t)(w.Next())
	if event.Kind == "reset" { // the changes before a restart are not kept
		must[*Summary](t)(k.PatchSet(ctx, "room", M{"shapes": M{"ada": M{"position": []int{3, 0}}}}))
		event = must[*Event](t)(w.Next())
	}
	equal(t, event.Revision >= 3 && event.Shapes["ada"] != nil, true)
	if err := k.DeleteSet(ctx, "room"); err != nil {
		t.Fatal(err)
	}
	for event.Kind != "deleted" {
		event = must[*Event](t)(w.Next())
	}
	if _, err := w.Next(); err != io.EOF {
		t.Fatal(err)
	}
	if _, err := k.Watch(ctx, "room").Next(); err == nil || !strings.Contains(err.Error(), "set-not-found") {
		t.Fatal(err)
	}
	must[*Summary](t)(k.PutSet(ctx, "room", room))
	w = k.Watch(ctx, "room", Since("1"))
	must[*Summary](t)(k.PatchSet(ctx, "room", M{"shapes": M{"ada": M{"position": []int{1, 0}}}}))
	must[*Event](t)(w.Next())
	stop()
	_, stop = start(t, "--listen", address)
	if _, err := w.Next(); err != io.EOF { // the set went meanwhile
		t.Fatal(err)
	}
	stop()
	var trouble *net.OpError
	if _, err := k.Watch(ctx, "room").Next(); !errors.As(err, &trouble) {
		t.Fatal(err)
	}
}

// Documents for people, and what is no call of its own.
var leftOut = map[string]bool{"root": true, "playground": true, "docs": true, "docsPage": true, "openStream": true, "openapi": true, "schema": true, "health": true}

func TestEveryOperationHasAMethod(t *testing.T) {
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	text, err := os.ReadFile("../../../server/openapi.json")
	if err == nil {
		err = json.Unmarshal(text, &described)
	}
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"watchSet": "Watch", "postTick": "Tick"}
	for path, methods := range described.Paths {
		for _, raw := range methods {
			var operation struct{ OperationID string }
			if json.Unmarshal(raw, &operation) != nil || operation.OperationID == "" || leftOut[operation.OperationID] {
				continue
			}
			name := names[operation.OperationID]
			if name == "" {
				name = strings.TrimSuffix(strings.ToUpper(operation.OperationID[:1])+operation.OperationID[1:], "InSet")
			}
			if _, ok := reflect.TypeOf(&Client{}).MethodByName(name); !ok {
				t.Errorf("%s: there is no method %s", path, name)
			}
		}
	}
}

func TestMessagesAreUpToDate(t *testing.T) {
	if out, err := exec.Command("go", "run", "./generate", "-check").CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
}

func TestMessagesComeBack(t *testing.T) {
	sent := &PairAnswers{Revision: 1 << 40, State: []uint32{0, 1, 300, NoHandle}, Value: []float64{1.5, -2}, PoseGap: []uint32{1}}
	told := &PairAnswers{}
	data := appendMessage(nil, reflect.ValueOf(sent))
	if err := readMessage(append(data, 0xfa, 0x01, 1, 9), reflect.ValueOf(told)); err != nil { // and a field that is not known
		t.Fatal(err)
	}
	equal(t, told, sent)
	for cut := 1; cut < len(data); cut++ {
		_ = readMessage(data[:cut], reflect.ValueOf(&PairAnswers{}))
	}
}

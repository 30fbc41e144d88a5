package gjkd

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
)

// Summary describes a set.
type Summary struct {
	Reply
	Name      string            `json:"name"`
	Dimension int               `json:"dimension"`
	Revision  uint64            `json:"revision"`
	Tick      *float64          `json:"tick"`
	Shapes    int               `json:"shapes"`
	Ticks     *TickRange        `json:"ticks"`
	Bytes     uint64            `json:"bytes"`
	Handles   map[string]uint32 `json:"handles"` // with Param("fields", "handles")
	Unknown   []int             `json:"unknown"` // rows of poses with unknown handles, which were skipped
	Results   []json.RawMessage `json:"results"` // of a tick with queries
	Overlaps  *struct {         // of a tick with overlaps: pairs that begin and end to overlap
		Begin [][2]string `json:"begin"`
		End   [][2]string `json:"end"`
	} `json:"overlaps"`
}

// TickRange gives the ticks that a set keeps.
type TickRange struct {
	Oldest float64 `json:"oldest"`
	Newest float64 `json:"newest"`
	Count  int     `json:"count"`
}

// Set is a whole set.
type Set struct {
	Reply
	Name      string       `json:"name"`
	Dimension int          `json:"dimension"`
	Revision  uint64       `json:"revision"`
	Tick      *float64     `json:"tick"`
	Shapes    map[string]M `json:"shapes"`
	History   M            `json:"history"`
	Meta      M            `json:"meta"`
}

// SetPage is a page of sets.
type SetPage struct {
	Reply
	Sets []Summary `json:"sets"`
	Next *string   `json:"next"`
}

// Document is any JSON object.
type Document struct {
	Reply
	M M
}

// UnmarshalJSON reads the object into M.
func (d *Document) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &d.M) }

// Pair is the answer to detect or distance about one pair; in a list it has the id or ids.
type Pair struct {
	ID              string    `json:"id"`
	A               string    `json:"a"`
	B               string    `json:"b"`
	Group           *string   `json:"group"`
	Colliding       bool      `json:"colliding"`
	State           string    `json:"state"`
	Distance        float64   `json:"distance"`
	SignedDistance  *float64  `json:"signed_distance"`
	LowerBound      float64   `json:"lower_bound"`
	Depth           float64   `json:"depth"`
	DepthLowerBound float64   `json:"depth_lower_bound"`
	Normal          []float64 `json:"normal"`
	PointA          []float64 `json:"point_a"`
	PointB          []float64 `json:"point_b"`
	PieceA          *uint32   `json:"piece_a"`
	PieceB          *uint32   `json:"piece_b"`
	Contacts        []Pair    `json:"contacts"`
	Status          string    `json:"status"`
	Iterations      int       `json:"iterations"`
}

// Pairs is the answer to detect and distance: of one pair, or a list.
type Pairs struct {
	Reply
	Pair
	Hits      []Pair   `json:"hits"`
	Pairs     []Pair   `json:"pairs"`
	Nearest   []Pair   `json:"nearest"`
	Truncated bool     `json:"truncated"`
	Revision  uint64   `json:"revision"`
	Tick      *float64 `json:"tick"`
}

// Contact is a hit of a ray or of a moving shape.
type Contact struct {
	ID          *string   `json:"id"`
	Group       *string   `json:"group"`
	Distance    float64   `json:"distance"`
	Fraction    float64   `json:"fraction"`
	Exit        *float64  `json:"exit"`
	Point       []float64 `json:"point"`
	Normal      []float64 `json:"normal"`
	Inside      bool      `json:"inside"`
	Depth       *float64  `json:"depth"`
	Piece       *uint32   `json:"piece"`
	MovingPiece *uint32   `json:"moving_piece"`
	Material    *uint32   `json:"material"`
	Step        bool      `json:"step"`
	Meta        any       `json:"meta"`
	Status      string    `json:"status"`
}

// Hits is the answer to raycast and cast.
type Hits struct {
	Reply
	Hits      []Contact `json:"hits"`
	Hit       bool      `json:"hit"` // with mode any
	Truncated bool      `json:"truncated"`
	Revision  uint64    `json:"revision"`
	Tick      *float64  `json:"tick"`
}

// Moved is the answer to move.
type Moved struct {
	Reply
	Position []float64   `json:"position"`
	Moved    []float64   `json:"moved"`
	Blocked  []float64   `json:"blocked"`
	Pushed   []float64   `json:"pushed"`
	Legs     [][]float64 `json:"legs"`
	Grounded bool        `json:"grounded"`
	Ground   *Contact    `json:"ground"`
	Contacts []Contact   `json:"contacts"`
	Status   string      `json:"status"`
	Revision uint64      `json:"revision"`
}

// Verdict is the answer to hit.
type Verdict struct {
	Reply
	Verdict    string    `json:"verdict"` // confirmed, adjusted, denied, unverifiable
	Reason     *string   `json:"reason"`
	Hit        *Contact  `json:"hit"`
	Obstacle   *Contact  `json:"obstacle"`
	NearMisses []Contact `json:"near_misses"`
	Rewind     *struct {
		Requested float64 `json:"requested"`
		From      float64 `json:"from"`
		To        float64 `json:"to"`
		Alpha     float64 `json:"alpha"`
		AgeTicks  float64 `json:"age_ticks"`
	} `json:"rewind"`
	Revision uint64 `json:"revision"`
}

// Batch is the answer to batch. A query that failed has {"error": problem} in its place.
type Batch struct {
	Reply
	Results  []json.RawMessage `json:"results"`
	Revision uint64            `json:"revision"`
	Tick     *float64          `json:"tick"`
}

// Rows is the answer to configurations.
type Rows struct {
	Reply
	Results []struct {
		Colliding  bool      `json:"colliding"`
		Pair       []string  `json:"pair"`
		Distance   *float64  `json:"distance"`
		LowerBound *float64  `json:"lower_bound"`
		Normal     []float64 `json:"normal"`
		PointA     []float64 `json:"point_a"`
		PointB     []float64 `json:"point_b"`
		Fraction   *float64  `json:"fraction"`
	} `json:"results"`
	Revision uint64 `json:"revision"`
}

func inSet(set, rest string) string { return "/v1/sets/" + url.PathEscape(set) + rest }

func inShape(set, id string) string { return inSet(set, "/shapes/"+url.PathEscape(id)) }

func atTick(set string, tick float64) string {
	return inSet(set, "/ticks/"+strconv.FormatFloat(tick, 'f', -1, 64))
}

// question returns the path of a query. A query without a set (set is "") is about inline shapes.
func question(set, op string) string {
	if set == "" {
		return "/v1/" + op
	}
	return inSet(set, "/"+op)
}

func get[T any](ctx context.Context, c *Client, method, path string, body any, settings []Setting) (*T, error) {
	out := new(T)
	if err := c.do(ctx, method, path, body, out, settings); err != nil {
		return nil, err
	}
	return out, nil
}

// PutSet creates or replaces a set.
func (c *Client) PutSet(ctx context.Context, set string, body any, s ...Setting) (*Summary, error) {
	return get[Summary](ctx, c, "PUT", inSet(set, ""), body, s)
}

// PatchSet changes a set by a merge patch.
func (c *Client) PatchSet(ctx context.Context, set string, patch any, s ...Setting) (*Summary, error) {
	return get[Summary](ctx, c, "PATCH", inSet(set, ""), patch, s)
}

// GetSet returns a set.
func (c *Client) GetSet(ctx context.Context, set string, s ...Setting) (*Set, error) {
	return get[Set](ctx, c, "GET", inSet(set, ""), nil, s)
}

// HeadSet returns a set's ETag.
func (c *Client) HeadSet(ctx context.Context, set string, s ...Setting) (*Reply, error) {
	return get[Reply](ctx, c, "HEAD", inSet(set, ""), nil, s)
}

// DeleteSet deletes a set.
func (c *Client) DeleteSet(ctx context.Context, set string, s ...Setting) error {
	return c.do(ctx, "DELETE", inSet(set, ""), nil, nil, s)
}

// ListSets lists sets, with Param("prefix", …), "limit" and "cursor".
func (c *Client) ListSets(ctx context.Context, s ...Setting) (*SetPage, error) {
	return get[SetPage](ctx, c, "GET", "/v1/sets", nil, s)
}

// PutShape stores a shape: JSON, or *BodyColumns.
func (c *Client) PutShape(ctx context.Context, set, id string, shape any, s ...Setting) (*Document, error) {
	return get[Document](ctx, c, "PUT", inShape(set, id), shape, s)
}

// PatchShape changes a shape by a merge patch.
func (c *Client) PatchShape(ctx context.Context, set, id string, patch any, s ...Setting) (*Document, error) {
	return get[Document](ctx, c, "PATCH", inShape(set, id), patch, s)
}

// GetShape returns a shape.
func (c *Client) GetShape(ctx context.Context, set, id string, s ...Setting) (*Document, error) {
	return get[Document](ctx, c, "GET", inShape(set, id), nil, s)
}

// DeleteShape removes a shape.
func (c *Client) DeleteShape(ctx context.Context, set, id string, s ...Setting) error {
	return c.do(ctx, "DELETE", inShape(set, id), nil, nil, s)
}

// Detect finds collisions. Here and below set is "" for inline shapes.
func (c *Client) Detect(ctx context.Context, set string, query any, s ...Setting) (*Pairs, error) {
	return get[Pairs](ctx, c, "POST", question(set, "detect"), query, s)
}

// Distance computes distances of shapes.
func (c *Client) Distance(ctx context.Context, set string, query any, s ...Setting) (*Pairs, error) {
	return get[Pairs](ctx, c, "POST", question(set, "distance"), query, s)
}

// Raycast finds the hits of a ray.
func (c *Client) Raycast(ctx context.Context, set string, query any, s ...Setting) (*Hits, error) {
	return get[Hits](ctx, c, "POST", question(set, "raycast"), query, s)
}

// Cast finds the hits of a moving shape.
func (c *Client) Cast(ctx context.Context, set string, query any, s ...Setting) (*Hits, error) {
	return get[Hits](ctx, c, "POST", question(set, "cast"), query, s)
}

// Move moves a body, which slides along obstacles, and returns its end.
func (c *Client) Move(ctx context.Context, set string, query any, s ...Setting) (*Moved, error) {
	return get[Moved](ctx, c, "POST", question(set, "move"), query, s)
}

// Hit judges a shot.
func (c *Client) Hit(ctx context.Context, set string, query any, s ...Setting) (*Verdict, error) {
	return get[Verdict](ctx, c, "POST", question(set, "hit"), query, s)
}

// Configurations checks rows of poses for collisions.
func (c *Client) Configurations(ctx context.Context, set string, query any, s ...Setting) (*Rows, error) {
	return get[Rows](ctx, c, "POST", question(set, "configurations"), query, s)
}

// Batch answers many queries at once.
func (c *Client) Batch(ctx context.Context, set string, query any, s ...Setting) (*Batch, error) {
	return get[Batch](ctx, c, "POST", question(set, "batch"), query, s)
}

// Tick stores a tick and answers the queries in its body, if any, from that state.
func (c *Client) Tick(ctx context.Context, set string, tick uint64, body any, s ...Setting) (*Summary, error) {
	if asked, ok := body.(M); ok && asked["queries"] == nil && asked["overlaps"] == nil {
		return c.PutTick(ctx, set, tick, body, s...)
	}
	return get[Summary](ctx, c, "POST", atTick(set, float64(tick)), body, s)
}

// PutTick stores a tick: JSON, or *PoseColumns.
func (c *Client) PutTick(ctx context.Context, set string, tick uint64, body any, s ...Setting) (*Summary, error) {
	return get[Summary](ctx, c, "PUT", atTick(set, float64(tick)), body, s)
}

// GetTick returns the poses at a tick.
func (c *Client) GetTick(ctx context.Context, set string, tick float64, s ...Setting) (*Document, error) {
	return get[Document](ctx, c, "GET", atTick(set, tick), nil, s)
}

// GetTicks returns the range of ticks that the set keeps.
func (c *Client) GetTicks(ctx context.Context, set string, s ...Setting) (*TickRange, error) {
	return get[TickRange](ctx, c, "GET", inSet(set, "/ticks"), nil, s)
}

// ExportSets returns sets as NDJSON, with Param("prefix", …).
func (c *Client) ExportSets(ctx context.Context, s ...Setting) (out string, err error) {
	err = c.do(ctx, "GET", "/v1/export", nil, &out, s)
	return out, err
}

// ImportSets stores sets given as NDJSON. Param("replace", "true") replaces existing sets.
func (c *Client) ImportSets(ctx context.Context, lines string, s ...Setting) (*Document, error) {
	return get[Document](ctx, c, "POST", "/v1/import", lines, s)
}

// About returns name, version and limits of the daemon.
func (c *Client) About(ctx context.Context) (*Document, error) {
	return get[Document](ctx, c, "GET", "/v1", nil, nil)
}

// GetCluster returns the state of the cluster's nodes.
func (c *Client) GetCluster(ctx context.Context) (*Document, error) {
	return get[Document](ctx, c, "GET", "/v1/cluster", nil, nil)
}

// Ready succeeds if the daemon answers queries.
func (c *Client) Ready(ctx context.Context) (*Document, error) {
	return get[Document](ctx, c, "GET", "/readyz", nil, nil)
}

// Live succeeds if the daemon runs.
func (c *Client) Live(ctx context.Context) (*Document, error) {
	return get[Document](ctx, c, "GET", "/livez", nil, nil)
}

// Metrics returns metrics in the format of Prometheus.
func (c *Client) Metrics(ctx context.Context) (out string, err error) {
	err = c.do(ctx, "GET", "/metrics", nil, &out, nil)
	return out, err
}

// ExplainProblem explains the code of a problem.
func (c *Client) ExplainProblem(ctx context.Context, code string) (*Document, error) {
	return get[Document](ctx, c, "GET", "/problems/"+url.PathEscape(code), nil, nil)
}

// --- Columns: row i of each column belongs to query i; shapes are given by handle ---

// RaycastColumns casts rays.
func (c *Client) RaycastColumns(ctx context.Context, set string, rows *RaycastColumns, s ...Setting) (*RaycastAnswers, error) {
	return get[RaycastAnswers](ctx, c, "POST", inSet(set, "/raycast"), rows, s)
}

// CastColumns casts shapes.
func (c *Client) CastColumns(ctx context.Context, set string, rows *CastColumns, s ...Setting) (*CastAnswers, error) {
	return get[CastAnswers](ctx, c, "POST", inSet(set, "/cast"), rows, s)
}

// DetectColumns checks pairs for collisions.
func (c *Client) DetectColumns(ctx context.Context, set string, rows *PairColumns, s ...Setting) (*PairAnswers, error) {
	return get[PairAnswers](ctx, c, "POST", inSet(set, "/detect"), rows, s)
}

// DistanceColumns computes distances of pairs.
func (c *Client) DistanceColumns(ctx context.Context, set string, rows *PairColumns, s ...Setting) (*PairAnswers, error) {
	return get[PairAnswers](ctx, c, "POST", inSet(set, "/distance"), rows, s)
}

// MoveColumns moves bodies.
func (c *Client) MoveColumns(ctx context.Context, set string, rows *MoveColumns, s ...Setting) (*MoveAnswers, error) {
	return get[MoveAnswers](ctx, c, "POST", inSet(set, "/move"), rows, s)
}

// HitColumns judges shots.
func (c *Client) HitColumns(ctx context.Context, set string, rows *HitColumns, s ...Setting) (*HitAnswers, error) {
	return get[HitAnswers](ctx, c, "POST", inSet(set, "/hit"), rows, s)
}

// ConfigurationColumns checks rows of poses for collisions.
func (c *Client) ConfigurationColumns(ctx context.Context, set string, rows *ConfigurationColumns, s ...Setting) (*ConfigurationAnswers, error) {
	return get[ConfigurationAnswers](ctx, c, "POST", inSet(set, "/configurations"), rows, s)
}

// NearestColumns finds the shapes nearest to each row's shape.
func (c *Client) NearestColumns(ctx context.Context, set string, rows *NearestColumns, s ...Setting) (*NearestAnswers, error) {
	return get[NearestAnswers](ctx, c, "POST", inSet(set, "/distance"), rows, s)
}

// OverlapColumns finds the shapes that collide with each row's shape.
func (c *Client) OverlapColumns(ctx context.Context, set string, rows *OverlapColumns, s ...Setting) (*OverlapAnswers, error) {
	return get[OverlapAnswers](ctx, c, "POST", inSet(set, "/detect"), rows, s)
}

// BatchColumns answers blocks of any kind, in order, from one version of the set.
func (c *Client) BatchColumns(ctx context.Context, set string, blocks *BatchColumns, s ...Setting) (*BatchAnswers, error) {
	return get[BatchAnswers](ctx, c, "POST", inSet(set, "/batch"), blocks, s)
}

// TickColumns stores a tick of poses and answers blocks from that state.
func (c *Client) TickColumns(ctx context.Context, set string, tick uint64, body *TickColumns, s ...Setting) (*TickAnswers, error) {
	return get[TickAnswers](ctx, c, "POST", atTick(set, float64(tick)), body, s)
}

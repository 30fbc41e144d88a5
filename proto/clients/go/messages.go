// Written by generate: do not edit.

package gjkd

// RaycastColumns is the message of gjkd.proto.
type RaycastColumns struct {
	Dimension     uint32    `gjkd:"1"` // 2 or 3
	Origin        []float64 `gjkd:"2"` // n * dimension
	Direction     []float64 `gjkd:"3"` // n * dimension, non-zero
	MaxDistance   []float64 `gjkd:"4"` // n, 1 or 0 (none: no limit)
	Mask          []uint32  `gjkd:"5"` // n, 1 or 0 (none: 4294967295)
	Category      []uint32  `gjkd:"6"` // n, 1 or 0 (none: 4294967295)
	AtTick        []float64 `gjkd:"7"` // n, 1 or 0 (none: newest)
	IgnoreGroups  []string  `gjkd:"8"` // for the whole message
	NotSolid      bool      `gjkd:"9"`
	IgnoreGroupOf []uint32  `gjkd:"10"` // n, 1 or 0: a handle whose group this row ignores (the shooter's own shapes); 4294967295: none
	Partial       bool      `gjkd:"11"` // a row that cannot be answered has the reason in `status` and does not refuse the others
	Exits         bool      `gjkd:"12"` // also report where the ray leaves each shape
	Mode          uint32    `gjkd:"13"` // 0 closest, 1 any, 2 all
	Limit         uint32    `gjkd:"14"` // maximum number of hits per row, with mode all; 0: no limit
	Ignore        []uint32  `gjkd:"15"` // handles that no row hits
}

// RaycastAnswers is the message of gjkd.proto.
type RaycastAnswers struct {
	Revision uint64    `gjkd:"1"`
	Handle   []uint32  `gjkd:"2"`  // n; 4294967295: no hit
	Distance []float64 `gjkd:"3"`  // n; 0 where there is no hit
	Point    []float64 `gjkd:"4"`  // n * dimension; 0 where there is no hit
	Normal   []float64 `gjkd:"5"`  // n * dimension; 0 where there is no hit or the origin is inside
	Status   []uint32  `gjkd:"6"`  // n; 0 converged, 1 iteration limit; with partial 2 expired tick, 3 tick in the future,
	Piece    []uint32  `gjkd:"7"`  // n; 4294967295: none. Pieces, exits and materials are sent only if some row has one
	Exit     []float64 `gjkd:"8"`  // n; the distance at which the ray leaves; 0 where there is no hit
	Material []uint32  `gjkd:"9"`  // n; 0 where there is none
	PoseGap  []uint32  `gjkd:"10"` // n; 1 if the row needed a tick that this node of a cluster lacks. Sent only if some row did
	Count    []uint32  `gjkd:"11"` // n, only with mode all: number of hits of each row. Then the other columns, except for status and pose_gap, hold one value per hit, row after row
	Inside   []uint32  `gjkd:"12"` // one per hit; 0 or 1. Sent only if one is 1
}

// PairColumns is the message of gjkd.proto.
type PairColumns struct {
	Dimension     uint32    `gjkd:"1"`
	A             []uint32  `gjkd:"2"` // n handles
	B             []uint32  `gjkd:"3"` // n handles
	PositionA     []float64 `gjkd:"4"` // n * dimension or 0 (none: the stored pose)
	RotationA     []float64 `gjkd:"5"` // n angles (2D), n * 4 quaternions (3D), or 0
	PositionB     []float64 `gjkd:"6"`
	RotationB     []float64 `gjkd:"7"`
	AtTick        []float64 `gjkd:"8"`  // n, 1 or 0
	NoPenetration bool      `gjkd:"9"`  // detect: state only
	Partial       bool      `gjkd:"10"` // as for rays
	Signed        bool      `gjkd:"11"` // distance: value is signed, overlaps have normal and points
	Pieces        bool      `gjkd:"12"` // depth of the deepest pair of pieces, not of the whole
}

// PairAnswers is the message of gjkd.proto.
type PairAnswers struct {
	Revision   uint64    `gjkd:"1"`
	State      []uint32  `gjkd:"2"` // n; 0 separated, 1 touching, 2 overlapping
	Value      []float64 `gjkd:"3"` // n; distance (distance call) or depth (detect call)
	LowerBound []float64 `gjkd:"4"` // n
	Normal     []float64 `gjkd:"5"` // n * dimension; 0 where there is none
	PointA     []float64 `gjkd:"6"` // n * dimension; 0 where there is none
	PointB     []float64 `gjkd:"7"`
	Iterations []uint32  `gjkd:"8"`  // n
	Status     []uint32  `gjkd:"9"`  // n; as for rays
	PieceA     []uint32  `gjkd:"10"` // n; 4294967295: none. Each is sent only where some row has one
	PieceB     []uint32  `gjkd:"11"`
	PoseGap    []uint32  `gjkd:"12"` // n; as for rays
}

// CastColumns is the message of gjkd.proto.
type CastColumns struct {
	Dimension     uint32    `gjkd:"1"`
	Shape         []uint32  `gjkd:"2"`  // n or 1 handles of the moving shapes
	Position      []float64 `gjkd:"3"`  // n * dimension or none: the stored pose
	Rotation      []float64 `gjkd:"4"`  // n angles or n * 4, or none
	Translation   []float64 `gjkd:"5"`  // n * dimension
	ToRotation    []float64 `gjkd:"6"`  // n angles or n * 4: rotation at the end; none: no rotation during the motion
	AtStart       uint32    `gjkd:"7"`  // 0 report, 1 ignore, 2 resolve, 3 leaving
	Mask          []uint32  `gjkd:"8"`  // n, 1 or 0 (none: 4294967295)
	Category      []uint32  `gjkd:"9"`  // n, 1 or 0 (none: 4294967295)
	AtTick        []float64 `gjkd:"10"` // n, 1 or 0 (none: newest)
	IgnoreGroups  []string  `gjkd:"11"`
	IgnoreGroupOf []uint32  `gjkd:"12"` // as for rays
	Partial       bool      `gjkd:"13"` // as for rays
	Mode          uint32    `gjkd:"14"` // as for rays
	Limit         uint32    `gjkd:"15"`
	Ignore        []uint32  `gjkd:"16"`
}

// CastAnswers is the message of gjkd.proto.
type CastAnswers struct {
	Revision    uint64    `gjkd:"1"`
	Handle      []uint32  `gjkd:"2"` // n; 4294967295: nothing hit
	Fraction    []float64 `gjkd:"3"` // n; 1 where nothing is hit
	Point       []float64 `gjkd:"4"` // n * dimension; 0 where nothing is hit
	Normal      []float64 `gjkd:"5"` // n * dimension; from the hit shape to the moving one; 0 where there is none
	Inside      []uint32  `gjkd:"6"` // n; 0 or 1
	Depth       []float64 `gjkd:"7"` // n, only with resolve
	Piece       []uint32  `gjkd:"8"` // n; 4294967295: none. Pieces and materials are sent only where some row has one
	Status      []uint32  `gjkd:"9"` // n; as for rays
	MovingPiece []uint32  `gjkd:"10"`
	Material    []uint32  `gjkd:"11"` // n; 0 where there is none
	PoseGap     []uint32  `gjkd:"12"` // n; as for rays
	Count       []uint32  `gjkd:"13"` // as for rays
}

// NearestColumns is the message of gjkd.proto.
type NearestColumns struct {
	Dimension     uint32    `gjkd:"1"`
	Shape         []uint32  `gjkd:"2"` // n or 1 handles; 4294967295: a point at `position`
	Position      []float64 `gjkd:"3"` // n * dimension or none: the stored pose
	Rotation      []float64 `gjkd:"4"` // n angles or n * 4, or none
	Limit         uint32    `gjkd:"5"` // maximum number of shapes per row; 0: 1
	MaxDistance   []float64 `gjkd:"6"` // n, 1 or none
	Signed        bool      `gjkd:"7"`
	Mask          []uint32  `gjkd:"8"` // n, 1 or none
	Category      []uint32  `gjkd:"9"`
	AtTick        []float64 `gjkd:"10"` // n, 1 or none
	IgnoreGroups  []string  `gjkd:"11"`
	IgnoreGroupOf []uint32  `gjkd:"12"`
	Ignore        []uint32  `gjkd:"13"` // handles
	Partial       bool      `gjkd:"14"`
}

// NearestAnswers is the message of gjkd.proto.
type NearestAnswers struct {
	Revision   uint64    `gjkd:"1"`
	Count      []uint32  `gjkd:"2"` // n: number of shapes of each row; the columns hold them row after row
	Handle     []uint32  `gjkd:"3"`
	Value      []float64 `gjkd:"4"` // distance, or signed distance
	LowerBound []float64 `gjkd:"5"`
	Normal     []float64 `gjkd:"6"`
	PointA     []float64 `gjkd:"7"`
	PointB     []float64 `gjkd:"8"`
	PieceA     []uint32  `gjkd:"9"`
	PieceB     []uint32  `gjkd:"10"`
	Status     []uint32  `gjkd:"11"` // n; as for rays
	PoseGap    []uint32  `gjkd:"12"` // n
}

// OverlapColumns is the message of gjkd.proto.
type OverlapColumns struct {
	Dimension     uint32    `gjkd:"1"`
	Shape         []uint32  `gjkd:"2"` // n or 1 handles
	Position      []float64 `gjkd:"3"` // n * dimension or none
	Rotation      []float64 `gjkd:"4"`
	Penetration   uint32    `gjkd:"5"` // 0: state only; 1: depth of the whole shapes; 2: depth of the deepest pair of pieces
	Limit         uint32    `gjkd:"6"` // maximum number of shapes per row; 0: no limit
	Mask          []uint32  `gjkd:"7"`
	Category      []uint32  `gjkd:"8"`
	AtTick        []float64 `gjkd:"9"`
	IgnoreGroups  []string  `gjkd:"10"`
	IgnoreGroupOf []uint32  `gjkd:"11"`
	Ignore        []uint32  `gjkd:"12"`
	Partial       bool      `gjkd:"13"`
}

// OverlapAnswers is the message of gjkd.proto.
type OverlapAnswers struct {
	Revision   uint64    `gjkd:"1"`
	Count      []uint32  `gjkd:"2"` // n
	Handle     []uint32  `gjkd:"3"`
	State      []uint32  `gjkd:"4"` // 1 touching, 2 overlapping
	Depth      []float64 `gjkd:"5"` // these only with penetration
	LowerBound []float64 `gjkd:"6"`
	Normal     []float64 `gjkd:"7"`
	PointA     []float64 `gjkd:"8"`
	PointB     []float64 `gjkd:"9"`
	PieceA     []uint32  `gjkd:"10"`
	PieceB     []uint32  `gjkd:"11"`
	Status     []uint32  `gjkd:"12"` // n; as for rays
	PoseGap    []uint32  `gjkd:"13"` // n
}

// MoveColumns is the message of gjkd.proto.
type MoveColumns struct {
	Dimension     uint32    `gjkd:"1"`
	Shape         []uint32  `gjkd:"2"` // n or 1 handles
	Position      []float64 `gjkd:"3"` // n * dimension or none
	Rotation      []float64 `gjkd:"4"`
	Translation   []float64 `gjkd:"5"` // n * dimension
	Up            []float64 `gjkd:"6"` // n * dimension, dimension, or none
	MaxSlope      []float64 `gjkd:"7"` // this and the next five: n, 1 or none
	Step          []float64 `gjkd:"8"`
	Snap          []float64 `gjkd:"9"`
	Skin          []float64 `gjkd:"10"`
	Depenetrate   []float64 `gjkd:"11"`
	AtTick        []float64 `gjkd:"12"`
	Slides        uint32    `gjkd:"13"` // 0: 8
	Mask          []uint32  `gjkd:"14"`
	Category      []uint32  `gjkd:"15"`
	IgnoreGroups  []string  `gjkd:"16"`
	IgnoreGroupOf []uint32  `gjkd:"17"`
	Ignore        []uint32  `gjkd:"18"`
	Partial       bool      `gjkd:"19"`
}

// MoveAnswers is the message of gjkd.proto.
type MoveAnswers struct {
	Revision       uint64    `gjkd:"1"`
	Position       []float64 `gjkd:"2"` // n * dimension
	Blocked        []float64 `gjkd:"3"` // n * dimension
	Ground         []uint32  `gjkd:"4"` // n; handle, 4294967295: not grounded
	GroundPiece    []uint32  `gjkd:"5"`
	GroundMaterial []uint32  `gjkd:"6"`
	GroundNormal   []float64 `gjkd:"7"` // n * dimension
	Count          []uint32  `gjkd:"8"` // n: number of contacts of each row; their columns hold them row after row
	Handle         []uint32  `gjkd:"9"`
	Piece          []uint32  `gjkd:"10"`
	Material       []uint32  `gjkd:"11"`
	Fraction       []float64 `gjkd:"12"`
	Point          []float64 `gjkd:"13"`
	Normal         []float64 `gjkd:"14"`
	Status         []uint32  `gjkd:"15"` // n; as for rays
	PoseGap        []uint32  `gjkd:"16"` // n
	Pushed         []float64 `gjkd:"17"` // n * dimension
	IsStep         []uint32  `gjkd:"18"` // one per contact; 0 or 1
	LegCount       []uint32  `gjkd:"19"` // n: number of legs of each row
	Leg            []float64 `gjkd:"20"` // a vector per leg, row after row
}

// HitColumns is the message of gjkd.proto.
type HitColumns struct {
	Dimension       uint32    `gjkd:"1"`
	ShooterOf       []uint32  `gjkd:"2"`  // n or 1: a handle whose group is the shooter; 4294967295, or none: no shooter
	AtTick          []float64 `gjkd:"3"`  // n or 1; none: newest
	Origin          []float64 `gjkd:"4"`  // n * dimension
	Direction       []float64 `gjkd:"5"`  // n * dimension
	MaxDistance     []float64 `gjkd:"6"`  // n, 1 or 0
	Radius          []float64 `gjkd:"7"`  // n, 1 or 0
	Claim           []uint32  `gjkd:"8"`  // n handles (4294967295: this row claims nothing), or none: no claims
	ClaimGroup      bool      `gjkd:"9"`  // the handle's group is claimed, not the shape itself
	MaxRewindTicks  float64   `gjkd:"10"` // 0: no limit
	Obstacles       string    `gjkd:"11"` // "": none
	ObstaclesAtShot bool      `gjkd:"12"`
	Mask            uint32    `gjkd:"13"` // 0: 4294967295, of targets and obstacles
	Category        uint32    `gjkd:"14"` // 0: 4294967295
	Partial         bool      `gjkd:"15"` // as for rays
	MoreObstacles   []string  `gjkd:"16"` // sets beside `obstacles`, at most 15
	NearMiss        float64   `gjkd:"17"` // maximum distance of near misses; 0: not reported
}

// HitAnswers is the message of gjkd.proto.
type HitAnswers struct {
	Revision         uint64    `gjkd:"1"`
	Verdict          []uint32  `gjkd:"2"`  // n; 0 confirmed, 1 adjusted, 2 denied, 3 unverifiable
	Reason           []uint32  `gjkd:"3"`  // n; 0 none, 1 other-target, 2 blocked, 3 miss, 4 no-target, 5 tick-expired, 6 tick-in-future, 7 rewind-limit
	Handle           []uint32  `gjkd:"4"`  // n; what was hit first; 4294967295: nothing
	Distance         []float64 `gjkd:"5"`  // n; 0 where there is no hit
	Point            []float64 `gjkd:"6"`  // n * dimension; 0 where there is no hit
	Normal           []float64 `gjkd:"7"`  // n * dimension; 0 where there is none
	ObstacleDistance []float64 `gjkd:"8"`  // n; negative: no obstacle was hit
	Piece            []uint32  `gjkd:"9"`  // n; 4294967295: none. Sent only where some row has one
	PoseGap          []uint32  `gjkd:"10"` // n; as for rays
	Status           []uint32  `gjkd:"11"` // n; as for rays
	Material         []uint32  `gjkd:"12"` // n; 0 where there is none. Sent only where some row has one
	ObstacleSet      []uint32  `gjkd:"13"` // n; 0: `obstacles`, i: more_obstacles[i - 1]; 4294967295: none. With reason 5 or 6 it is the set that lacks the tick; none: the shot's own set does. These four are sent only if some row has one
	Obstacle         []uint32  `gjkd:"14"` // n; its handle in that set; 4294967295: none
	ObstaclePiece    []uint32  `gjkd:"15"` // n; 4294967295: none
	ObstacleMaterial []uint32  `gjkd:"16"` // n; 0 where there is none
	Rewind           []float64 `gjkd:"17"` // 3 * n: from, to, alpha; 0 where there is none. Sent only where some row was rewound
	NearCount        []uint32  `gjkd:"18"` // n, only with near_miss: number of near misses of each row; `near` holds them row after row
	Near             []uint32  `gjkd:"19"` // handles
	NearDistance     []float64 `gjkd:"20"`
}

// PoseColumns is the message of gjkd.proto.
type PoseColumns struct {
	Dimension uint32    `gjkd:"1"`
	Handle    []uint32  `gjkd:"2"` // n
	Position  []float64 `gjkd:"3"` // n * dimension
	Rotation  []float64 `gjkd:"4"` // n angles (2D) or n * 4 quaternions (3D); 0: rotation kept
	Teleport  []uint32  `gjkd:"5"` // handles that must not be interpolated across this tick
	Partial   bool      `gjkd:"6"` // rows of unknown handles are skipped and listed in the answer
}

// BodyColumns is the message of gjkd.proto.
type BodyColumns struct {
	Dimension     uint32    `gjkd:"1"`
	Type          string    `gjkd:"2"` // mesh, heightfield, region, chain, hull, polygon, points
	Vertices      []float64 `gjkd:"3"` // n * dimension: vertices, or points of a hull
	VerticesFloat []float32 `gjkd:"4"` // instead of them
	Triangles     []uint32  `gjkd:"5"` // 3 * m indices
	RingSizes     []uint32  `gjkd:"6"` // region: vertices of each ring, all rings of all polygons in order
	PolygonSizes  []uint32  `gjkd:"7"` // region: rings of each polygon, the outer one first
	Closed        bool      `gjkd:"8"` // mesh, chain
	OneSided      bool      `gjkd:"9"`
	Columns       uint32    `gjkd:"10"` // heightfield
	Rows          uint32    `gjkd:"11"`
	Spacing       []float64 `gjkd:"12"` // 2
	Heights       []float64 `gjkd:"13"` // rows * columns; a NaN is a hole
	HeightsFloat  []float32 `gjkd:"14"` // instead of them
	Materials     []uint32  `gjkd:"15"` // one a triangle or cell, or none
	Position      []float64 `gjkd:"16"` // dimension, or none: 0
	Rotation      []float64 `gjkd:"17"` // 1 angle (2D) or 4 (3D), or none
	Rounding      float64   `gjkd:"18"`
	Category      []uint32  `gjkd:"19"` // 1 or none: 1
	Mask          []uint32  `gjkd:"20"` // 1 or none: 4294967295
	Group         string    `gjkd:"21"` // "": none
	MetaJson      string    `gjkd:"22"` // "": none
	Fill          string    `gjkd:"23"` // region, mesh: "", nonzero, evenodd
	Weld          bool      `gjkd:"24"` // mesh: corners with equal coordinates are one
	Radii         []float64 `gjkd:"25"` // points: n, 1 or none
	Base          []float64 `gjkd:"26"` // heightfield: 1 or none
}

// ConfigurationColumns is the message of gjkd.proto.
type ConfigurationColumns struct {
	Dimension    uint32    `gjkd:"1"`
	Shape        []uint32  `gjkd:"2"` // m handles
	Position     []float64 `gjkd:"3"` // n * m * dimension
	Rotation     []float64 `gjkd:"4"` // n * m angles or n * m * 4, or none: the stored rotations
	Self         bool      `gjkd:"5"`
	Allowed      []uint32  `gjkd:"6"` // 2 * k handles: pairs that may touch
	Threshold    []float64 `gjkd:"7"` // 1 or none: no limit of distances
	Distance     bool      `gjkd:"8"` // report distances, not only collisions
	Continuous   bool      `gjkd:"9"`
	Mask         uint32    `gjkd:"10"` // 0: 4294967295
	Category     uint32    `gjkd:"11"` // 0: 4294967295
	IgnoreGroups []string  `gjkd:"12"`
	OnlyGroups   []string  `gjkd:"13"`
	Ignore       []uint32  `gjkd:"14"` // handles
	AtTick       []float64 `gjkd:"15"` // n, 1 or none
	Starts       []uint32  `gjkd:"16"` // rows at which a new path begins, with `continuous`
	Limit        uint32    `gjkd:"17"` // maximum number of pairs per row, with `distance`; 0: 1
	Tolerance    float64   `gjkd:"18"` // 0: the default
	Partial      bool      `gjkd:"19"`
}

// ConfigurationAnswers is the message of gjkd.proto.
type ConfigurationAnswers struct {
	Revision   uint64    `gjkd:"1"`
	Colliding  []uint32  `gjkd:"2"` // n; 0 or 1
	Pair       []uint32  `gjkd:"3"` // 2 * n handles; 4294967295: none
	Distance   []float64 `gjkd:"4"` // n, signed, only with `distance`; +inf beyond the threshold
	LowerBound []float64 `gjkd:"5"`
	Normal     []float64 `gjkd:"6"` // n * dimension
	PointA     []float64 `gjkd:"7"`
	PointB     []float64 `gjkd:"8"`
	Fraction   []float64 `gjkd:"9"`  // n, only with `continuous`; 1 where nothing collides
	Status     []uint32  `gjkd:"10"` // n; as for rays
	Count      []uint32  `gjkd:"11"` // n, only with limit > 1: number of pairs of each row. Then pair to point_b, piece and inside hold them row after row
	Piece      []uint32  `gjkd:"12"` // 2 per pair; 4294967295: none. Sent only if some pair has one
	Inside     []uint32  `gjkd:"13"` // 1 per pair. Sent only if one is 1
}

// Block is the message of gjkd.proto.
type Block struct {
	Raycast        *RaycastColumns       `gjkd:"1"`
	Cast           *CastColumns          `gjkd:"2"`
	Detect         *PairColumns          `gjkd:"3"`
	Distance       *PairColumns          `gjkd:"4"`
	Nearest        *NearestColumns       `gjkd:"5"`
	Overlap        *OverlapColumns       `gjkd:"6"`
	Hit            *HitColumns           `gjkd:"7"`
	Configurations *ConfigurationColumns `gjkd:"8"`
	Move           *MoveColumns          `gjkd:"9"`
}

// BlockAnswer is the message of gjkd.proto.
type BlockAnswer struct {
	Raycast        *RaycastAnswers       `gjkd:"1"`
	Cast           *CastAnswers          `gjkd:"2"`
	Detect         *PairAnswers          `gjkd:"3"`
	Distance       *PairAnswers          `gjkd:"4"`
	Nearest        *NearestAnswers       `gjkd:"5"`
	Overlap        *OverlapAnswers       `gjkd:"6"`
	Hit            *HitAnswers           `gjkd:"7"`
	Configurations *ConfigurationAnswers `gjkd:"8"`
	Move           *MoveAnswers          `gjkd:"9"`
}

// BatchColumns is the message of gjkd.proto.
type BatchColumns struct {
	Dimension uint32    `gjkd:"1"`
	Block     []*Block  `gjkd:"2"` // at most 1,024, of batch_queries_max rows in all
	AtTick    []float64 `gjkd:"3"` // 1 or none: default for blocks without at_tick
}

// BatchAnswers is the message of gjkd.proto.
type BatchAnswers struct {
	Revision uint64         `gjkd:"1"`
	Block    []*BlockAnswer `gjkd:"2"`
}

// TickColumns is the message of gjkd.proto.
type TickColumns struct {
	Poses           *PoseColumns `gjkd:"1"`
	Block           []*Block     `gjkd:"2"`
	Overlaps        bool         `gjkd:"3"` // report pairs that begin or end to overlap since the tick before, filtered by:
	OverlapMask     uint32       `gjkd:"4"` // 0: 4294967295
	OverlapCategory uint32       `gjkd:"5"` // 0: 4294967295
}

// TickAnswers is the message of gjkd.proto.
type TickAnswers struct {
	Revision uint64         `gjkd:"1"`
	Block    []*BlockAnswer `gjkd:"2"`
	Unknown  []uint32       `gjkd:"3"` // rows of poses that were skipped
	Begin    []uint32       `gjkd:"4"` // 2 handles per pair
	End      []uint32       `gjkd:"5"`
}

// Call is the message of gjkd.proto.
type Call struct {
	Id          uint64   `gjkd:"1"`
	Method      string   `gjkd:"2"` // GET, PUT, POST, PATCH, DELETE, HEAD; WATCH, UNWATCH
	Path        string   `gjkd:"3"` // with its query
	ContentType string   `gjkd:"4"` // of body; "": application/json
	Body        []byte   `gjkd:"5"`
	Header      []string `gjkd:"6"` // "If-Match: ...", "Accept: ...", "Gjkd-Timeout-Ms: ..." and so on
}

// Answer is the message of gjkd.proto.
type Answer struct {
	Id          uint64   `gjkd:"1"`
	Status      uint32   `gjkd:"2"`
	ContentType string   `gjkd:"3"`
	Body        []byte   `gjkd:"4"`
	Header      []string `gjkd:"5"` // "ETag: ...", "Retry-After: ..." and so on
}

// Command tick runs a game server's ticks: players move, the tick is stored, a shot is judged as its shooter saw it.
package main

import (
	"context"
	"fmt"
	"gjkd"
	"os"
	"time"
)

func must[T any](answer T, err error) T {
	if err != nil {
		panic(err)
	}
	return answer
}

func main() {
	k, set := gjkd.New(os.Args[1]), "arena"
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	made := must(k.PutSet(ctx, set, gjkd.M{"dimension": 2, "history": gjkd.M{"ticks": 64}, "shapes": gjkd.M{
		"ada":  gjkd.M{"type": "circle", "radius": 0.5, "group": "ada"},
		"bob":  gjkd.M{"type": "circle", "radius": 0.5, "group": "bob", "position": []float64{3, 0}},
		"wall": gjkd.M{"type": "box", "half_extents": []float64{0.5, 9}, "position": []float64{8, 0}},
	}}, gjkd.Param("fields", "handles")))
	players := []uint32{made.Handles["ada"], made.Handles["bob"]}
	places := []float64{0, 0, 3, 0}
	for tick := uint64(0); tick < 100; tick++ {
		places = must(k.MoveColumns(ctx, set, &gjkd.MoveColumns{Dimension: 2, Shape: players, Position: places,
			Translation: []float64{0.02, 0, 0.1, 0.05}})).Position
		must(k.PutTick(ctx, set, tick, &gjkd.PoseColumns{Dimension: 2, Handle: players, Position: places}))
	}
	shots := must(k.HitColumns(ctx, set, &gjkd.HitColumns{Dimension: 2, AtTick: []float64{49.5}, Origin: []float64{0, 2.5, 0, 9},
		Direction: []float64{1, 0, 1, 0}, ShooterOf: players[:1], Claim: []uint32{players[1], players[1]}}))
	fmt.Printf("bob stops at %.2f, verdicts %v\n", places[2:], shots.Verdict)
}

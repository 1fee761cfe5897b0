package web

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
)

// Charts are SVG drawn here: only geometry and classes, so they need no script,
// no inline style, and follow the scheme of the page. Each says in words what it
// shows.

// Point is a value at a day.
type Point struct {
	At    time.Time
	Value int
}

func coord(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// axis returns a round top for values up to most, and the step between about n
// lines below it.
func axis(most float64, n int) (top, step float64) {
	if most <= 0 {
		return float64(n), 1
	}
	raw := most / float64(n)
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		// Only whole numbers are counted.
		if step = m * unit; step >= raw && step == math.Trunc(step) {
			break
		}
	}
	step = max(step, 1)
	return math.Ceil(most/step) * step, step
}

// LineChart draws values over time, w by h units. title says what is shown.
func LineChart(title string, points []Point, w, h float64) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, out io.Writer) error {
		const left, right, above, below = 38, 8, 8, 22
		most := 0
		for _, p := range points {
			most = max(most, p.Value)
		}
		top, step := axis(float64(most), 4)
		x := func(i int) float64 {
			return left + (w-left-right)*float64(i)/float64(max(1, len(points)-1))
		}
		y := func(v float64) float64 { return above + (h-above-below)*(1-v/top) }
		var b strings.Builder
		name := templ.EscapeString(title)
		fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %s %s" role="img" aria-label="%s">`, coord(w), coord(h), name)
		for v := 0.0; v <= top; v += step {
			fmt.Fprintf(&b, `<line class="grid" x1="%d" x2="%s" y1="%s" y2="%s"/><text x="%d" y="%s" text-anchor="end">%s</text>`,
				left, coord(w-right), coord(y(v)), coord(y(v)), left-8, coord(y(v)+4), Number(ctx, int(v)))
		}
		var path strings.Builder
		for i, p := range points {
			move := 'L'
			if i == 0 {
				move = 'M'
			}
			fmt.Fprintf(&path, "%c%s %s", move, coord(x(i)), coord(y(float64(p.Value))))
		}
		if len(points) > 0 {
			fmt.Fprintf(&b, `<path class="area" d="%sL%s %sL%d %sZ"/><path class="stroke" d="%s"/>`,
				path.String(), coord(x(len(points)-1)), coord(y(0)), left, coord(y(0)), path.String())
		}
		wide, every := (w-left-right)/float64(max(1, len(points)-1)), max(1, len(points)/5)
		for i, p := range points {
			if i%every == 0 && i < len(points)-every/2 {
				fmt.Fprintf(&b, `<text x="%s" y="%s" text-anchor="middle">%s</text>`, coord(x(i)), coord(h-4), shortDay(ctx, p.At))
			}
			fmt.Fprintf(&b, `<g><rect class="hit" x="%s" y="%d" width="%s" height="%s"/><line class="guide" x1="%s" x2="%s" y1="%d" y2="%s"/><circle class="pt" cx="%s" cy="%s" r="4"/><title>%s: %s</title></g>`,
				coord(x(i)-wide/2), above, coord(wide), coord(h-above-below), coord(x(i)), coord(x(i)), above, coord(h-below),
				coord(x(i)), coord(y(float64(p.Value))), templ.EscapeString(ShortDate(ctx, p.At)), Number(ctx, p.Value))
		}
		b.WriteString(`</svg>`)
		_, err := io.WriteString(out, b.String())
		return err
	})
}

// shortDay is a date without its year.
func shortDay(ctx context.Context, t time.Time) string {
	return templ.EscapeString(strings.TrimSpace(strings.TrimSuffix(ShortDate(ctx, t), strconv.Itoa(t.Year()))))
}

// SplitChart draws one bar of three parts: positive, neutral, negative.
func SplitChart(pos, neu, neg int, w float64) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, out io.Writer) error {
		total := float64(max(1, pos+neu+neg))
		label := templ.EscapeString(T(ctx, "chart.split", "pos", Number(ctx, pos), "neu", Number(ctx, neu), "neg", Number(ctx, neg)))
		var b strings.Builder
		fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %s 10" role="img" aria-label="%s">`, coord(w), label)
		x := 0.0
		for _, part := range []struct {
			class string
			n     int
		}{{"pos", pos}, {"neu", neu}, {"neg", neg}} {
			if part.n > 0 {
				wide := w * float64(part.n) / total
				fmt.Fprintf(&b, `<rect class="%s" x="%s" y="0" width="%s" height="10" rx="3"/>`, part.class, coord(x), coord(max(1, wide-2)))
				x += wide
			}
		}
		b.WriteString(`</svg>`)
		_, err := io.WriteString(out, b.String())
		return err
	})
}

// Sparkline draws the shape of values and nothing else. label says what they are.
func Sparkline(label string, values []int, w, h float64) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, out io.Writer) error {
		most := 1
		for _, v := range values {
			most = max(most, v)
		}
		var b strings.Builder
		fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %s %s" role="img" aria-label="%s"><path class="stroke" d="`,
			coord(w), coord(h), templ.EscapeString(label))
		for i, v := range values {
			move := 'L'
			if i == 0 {
				move = 'M'
			}
			fmt.Fprintf(&b, "%c%s %s", move, coord(2+(w-4)*float64(i)/float64(max(1, len(values)-1))), coord(2+(h-4)*(1-float64(v)/float64(most))))
		}
		b.WriteString(`"/></svg>`)
		_, err := io.WriteString(out, b.String())
		return err
	})
}

// Command benchhooks measures webhooks end to end: it starts the service on a
// fresh SQLite database, writes through the API as fast as it can, and receives
// the deliveries on a local HTTPS server. It prints what the API takes without
// endpoints and with them, how many deliveries arrive in a second, and how long a
// single event takes from the acknowledged write to its arrival.
//
// Writing with and without endpoints takes turns, and the median of the rounds is
// printed: on a machine with other work the two meet the same weather.
//
//	go run ./tools/benchhooks
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"
)

func main() {
	var b bench
	flag.DurationVar(&b.length, "length", 2*time.Second, "how long to write in each turn")
	flag.IntVar(&b.rounds, "rounds", 5, "how many turns")
	flag.IntVar(&b.clients, "clients", 16, "how many clients write at once")
	heed := flag.String("heed", "", "the program to measure; built from this tree when empty")
	flag.Parse()
	if err := b.run(context.Background(), *heed); err != nil {
		fmt.Fprintln(os.Stderr, "benchhooks:", err)
		os.Exit(1)
	}
}

type bench struct {
	length          time.Duration
	rounds, clients int

	sink *sink
	s    *service
	post string // its path
}

func (b *bench) run(ctx context.Context, heed string) (err error) {
	if b.sink, err = newSink(); err != nil {
		return err
	}
	defer b.sink.close()
	if b.s, err = startService(ctx, heed, b.sink); err != nil {
		return err
	}
	defer b.s.stop()
	if b.post, err = b.s.createPost(b.s.site); err != nil {
		return err
	}
	if _, _, err := b.s.comment(b.post, b.clients, time.Second); err != nil { // warm up
		return err
	}
	for _, endpoints := range []int{1, 10} {
		if err := b.throughput(endpoints, false); err != nil {
			return err
		}
	}
	if err := b.throughput(10, true); err != nil {
		return err
	}
	if err := b.elsewhere(); err != nil {
		return err
	}
	return b.latency()
}

// elsewhere writes to a site without endpoints, in turns while nothing is sent
// and while the backlog of another is.
func (b *bench) elsewhere() error {
	post, err := b.s.createPost(b.s.other)
	if err != nil {
		return err
	}
	var without, with, slower, sent []float64
	for range b.rounds {
		n, took, err := b.s.comment(post, b.clients, b.length)
		if err != nil {
			return err
		}
		base := rate(n, took)
		if err := b.s.addEndpoints(10); err != nil {
			return err
		}
		b.sink.hold()
		if _, _, err := b.s.comment(b.post, b.clients, b.length); err != nil { // the backlog
			return err
		}
		b.sink.letGo()
		b.sink.reset()
		if n, took, err = b.s.comment(post, b.clients, b.length); err != nil {
			return err
		}
		sent = append(sent, rate(b.sink.count(), took))
		without, with, slower = append(without, base), append(with, rate(n, took)), append(slower, 100*(1-rate(n, took)/base))
		if err := b.s.deleteEndpoints(); err != nil {
			return err
		}
	}
	fmt.Printf("another site's backlog is being sent, at %.0f/s\n", median(sent))
	fmt.Printf("  API writes   %6.0f/s without, %.0f/s with: %.0f %% slower\n", median(without), median(with), median(slower))
	return nil
}

// throughput writes in turns without endpoints and with some, which answer or do
// not.
func (b *bench) throughput(endpoints int, silent bool) error {
	var without, with, slower, sent, own, both []float64
	inFlight := 0
	for range b.rounds {
		cpu := b.s.cpu()
		n, took, err := b.s.comment(b.post, b.clients, b.length)
		if err != nil {
			return err
		}
		base := rate(n, took)
		without, own = append(without, base), append(own, each(b.s.cpu()-cpu, n))

		if err := b.s.addEndpoints(endpoints); err != nil {
			return err
		}
		b.sink.reset()
		if silent {
			b.sink.hold()
		}
		cpu = b.s.cpu()
		began := time.Now()
		if n, took, err = b.s.comment(b.post, b.clients, b.length); err != nil {
			return err
		}
		inFlight = b.sink.count()
		if !silent {
			if err := b.sink.wait(n * endpoints); err != nil {
				return err
			}
			sent = append(sent, rate(n*endpoints, b.sink.lastArrival().Sub(began)))
		}
		with, slower = append(with, rate(n, took)), append(slower, 100*(1-rate(n, took)/base))
		both = append(both, each(b.s.cpu()-cpu, n))
		if err := b.s.deleteEndpoints(); err != nil {
			return err
		}
		b.sink.letGo()
	}
	title := fmt.Sprintf("%d endpoint(s)", endpoints)
	if silent {
		title += fmt.Sprintf(" that do not answer, %d attempts in flight", inFlight)
	}
	fmt.Println(title)
	fmt.Printf("  API writes   %6.0f/s without, %.0f/s with: %.0f %% slower\n", median(without), median(with), median(slower))
	if !silent {
		fmt.Printf("  deliveries   %6.0f/s from the first write to the last arrival\n", median(sent))
	}
	fmt.Printf("  processor    %6.0f µs of the service for a write without, %.0f µs with its deliveries\n", median(own), median(both))
	return nil
}

func (b *bench) latency() error {
	if err := b.s.addEndpoints(1); err != nil {
		return err
	}
	all, err := b.s.latency(b.post, b.sink, 100)
	if err != nil {
		return err
	}
	slices.Sort(all)
	fmt.Printf("idle\n  acknowledged write to arrival: p50 %.1f ms, p90 %.1f ms, max %.1f ms\n",
		ms(all[len(all)/2]), ms(all[len(all)*9/10]), ms(all[len(all)-1]))
	return nil
}

func rate(n int, took time.Duration) float64 { return float64(n) / took.Seconds() }

func each(d time.Duration, n int) float64 { return float64(d.Microseconds()) / float64(max(n, 1)) }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

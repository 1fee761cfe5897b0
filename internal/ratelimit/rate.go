package ratelimit

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Rate is a sustained rate of Requests per Window with room for Burst requests
// at once. A Burst of zero means Requests. The zero Rate means no limit.
type Rate struct {
	Requests int
	Window   time.Duration
	Burst    int
}

// Unlimited reports whether r limits nothing.
func (r Rate) Unlimited() bool { return r.Requests <= 0 || r.Window <= 0 }

// Refill returns how long an empty bucket takes to be full again: the window in
// which Burst requests are allotted.
func (r Rate) Refill() time.Duration {
	if r.Unlimited() {
		return 0
	}
	interval, burst := r.interval(), time.Duration(r.burst())
	if interval > maxRefill/burst {
		return maxRefill
	}
	return interval * burst
}

// maxRefill keeps sums of times far from overflow; ParseRates accepts nothing
// near it.
const maxRefill = time.Duration(math.MaxInt64 / 4)

func (r Rate) burst() int {
	if r.Burst <= 0 {
		return r.Requests
	}
	return r.Burst
}

// interval is the time one request costs, rounded up: rounding down would allow
// more than the rate.
func (r Rate) interval() time.Duration {
	n := time.Duration(r.Requests)
	return min(r.Window/n+min(1, r.Window%n), maxRefill)
}

// The longest unit and the largest numbers keep Refill below three weeks for
// any rate that is worth setting, and far from overflow for the rest.
var units = map[string]time.Duration{"s": time.Second, "min": time.Minute, "h": time.Hour}

const maxCount = 1_000_000

// ParseRates reads the rates by plan, as in "PRO=3000/min:500,STUDIO=100/s":
// a name, the number of requests per s, min or h, and optionally a burst. The
// word "off" gives an empty map, and so no limit for anyone. Every mistake is
// reported, not only the first.
func ParseRates(text string) (map[string]Rate, error) {
	if strings.TrimSpace(text) == "off" {
		return map[string]Rate{}, nil
	}
	rates := map[string]Rate{}
	var errs []error
	for part := range strings.SplitSeq(text, ",") {
		name, value, found := strings.Cut(strings.TrimSpace(part), "=")
		if !found || name == "" {
			errs = append(errs, fmt.Errorf("rate %q: want NAME=REQUESTS/UNIT:BURST, or off alone", part))
			continue
		}
		if _, twice := rates[name]; twice {
			errs = append(errs, fmt.Errorf("rate of %s is set twice", name))
		}
		rate, err := parseRate(value)
		if err != nil {
			errs = append(errs, fmt.Errorf("rate of %s: %w", name, err))
		}
		rates[name] = rate
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return rates, nil
}

func parseRate(text string) (Rate, error) {
	pace, burst, hasBurst := strings.Cut(text, ":")
	count, unit, _ := strings.Cut(pace, "/")
	window, known := units[unit]
	if !known {
		return Rate{}, fmt.Errorf("%q is not per s, min or h", pace)
	}
	n, err := parseCount(count)
	if err != nil {
		return Rate{}, fmt.Errorf("requests: %w", err)
	}
	r := Rate{Requests: n, Window: window, Burst: n}
	if hasBurst {
		if r.Burst, err = parseCount(burst); err != nil {
			return Rate{}, fmt.Errorf("burst: %w", err)
		}
	}
	return r, nil
}

func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxCount {
		return 0, fmt.Errorf("%q is not a number from 1 to %d", text, maxCount)
	}
	return n, nil
}

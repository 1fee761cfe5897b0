package webhook

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// DefaultSchedule is ten attempts over about three days.
const DefaultSchedule = "0s,5s,5m,30m,2h,5h,10h,14h,20h,24h"

const (
	jitter       = 0.2
	slowDownWait = time.Minute

	maxAttempts = 50
	maxDelay    = 7 * 24 * time.Hour
)

// Schedule holds the delay before each attempt: the first counted from the
// moment the message exists, each other from the end of the attempt before.
// The zero Schedule has no attempts.
type Schedule struct{ delays []time.Duration }

// ParseSchedule reads delays separated by commas, such as DefaultSchedule.
// The error names every delay that cannot be used.
func ParseSchedule(s string) (Schedule, error) {
	parts := strings.Split(s, ",")
	if strings.TrimSpace(s) == "" {
		return Schedule{}, errors.New("a schedule needs at least one delay, such as 0s")
	}
	if len(parts) > maxAttempts {
		return Schedule{}, fmt.Errorf("a schedule has at most %d delays", maxAttempts)
	}
	var (
		delays []time.Duration
		errs   []error
	)
	for i, p := range parts {
		d, err := time.ParseDuration(strings.TrimSpace(p))
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("delay %d: %q is not a duration such as 30s, 5m or 2h", i+1, p))
		case d < 0 || d > maxDelay:
			errs = append(errs, fmt.Errorf("delay %d: %s is not between 0s and %s", i+1, d, maxDelay))
		}
		delays = append(delays, d)
	}
	if len(errs) > 0 {
		return Schedule{}, errors.Join(errs...)
	}
	return Schedule{delays: delays}, nil
}

// Attempts is how often a message is tried in all.
func (s Schedule) Attempts() int { return len(s.delays) }

// Delays returns a copy of the delays.
func (s Schedule) Delays() []time.Duration { return slices.Clone(s.delays) }

// String is the inverse of ParseSchedule.
func (s Schedule) String() string {
	words := make([]string, len(s.delays))
	for i, d := range s.delays {
		words[i] = d.String()
	}
	return strings.Join(words, ",")
}

// First says when the first attempt of a message made at created is due.
func (s Schedule) First(created time.Time, random func() float64) time.Time {
	if len(s.delays) == 0 {
		return created
	}
	return created.Add(spread(s.delays[0], 1-jitter, 1+jitter, random))
}

// Next says when to try again after attempt number made (counted from 1), and
// false when none is left or the outcome wants none. An interrupted attempt
// was not made: it is due again at once, under the same number. random gives
// numbers in [0,1).
//
// A receiver's Retry-After is granted as it stands between once and twice the
// scheduled delay, and is not spread: it asked for that moment. A receiver
// that looks overloaded is left alone for a minute at the least.
func (s Schedule) Next(made int, a Attempt, random func() float64) (at time.Time, ok bool) {
	end := a.StartedAt.Add(a.Duration)
	switch a.Outcome {
	case Interrupted:
		return end, true
	case Retry:
	default:
		return time.Time{}, false
	}
	if made < 1 || made >= len(s.delays) {
		return time.Time{}, false
	}
	delay := s.delays[made]
	wait := spread(delay, 1-jitter, 1+jitter, random)
	if a.RetryAfter > 0 {
		wait = min(max(a.RetryAfter, delay), 2*delay)
	}
	if a.slowDown() && wait < slowDownWait {
		// Spread upwards only: the minute is a promise.
		wait = spread(slowDownWait, 1, 1+jitter, random)
	}
	return end.Add(wait), true
}

func spread(d time.Duration, from, to float64, random func() float64) time.Duration {
	return time.Duration(float64(d) * (from + (to-from)*random()))
}

package app

import (
	"context"
	"math"
	"time"

	"heed/internal/feedback"
	"heed/internal/ids"
	"heed/internal/store"
)

// sweepBatch bounds what one transaction of a sweep removes, so that nobody
// waits for it.
const sweepBatch = 500

// SweepEndpoints finishes what disabling and deleting endpoints has begun.
func (a *App) SweepEndpoints(ctx context.Context) error {
	var half []feedback.Endpoint
	var deleted []feedback.EndpointKey
	err := a.db.Read(ctx, func(s *store.Tx) (err error) {
		if half, err = s.HalfCancelled(ctx, leaseBatch); err != nil {
			return err
		}
		deleted, err = s.DeletedEndpoints(ctx, leaseBatch)
		return err
	})
	if err != nil {
		return err
	}
	for i := range half {
		err := a.inBatches(ctx, func(s *store.Tx) (int64, error) {
			return s.CancelDeliveries(ctx, half[i].Key(), half[i].CancelBelow, sweepBatch)
		})
		if err != nil {
			return err
		}
	}
	for _, k := range deleted {
		err := a.inBatches(ctx, func(s *store.Tx) (int64, error) {
			n, err := s.PurgeDeliveries(ctx, k, math.MaxInt64, true, sweepBatch)
			if err == nil && n < sweepBatch {
				err = s.RemoveEndpoint(ctx, k)
			}
			return int64(n), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	// keepLog is how long deliveries are kept.
	keepLog = feedback.DaysKept * 24 * time.Hour
	// keepEvents is a little more: an event is made before its deliveries.
	keepEvents = keepLog + time.Hour
)

// PurgeDeliveries forgets deliveries and events that are older than they are
// kept for. What is still to be sent stays.
func (a *App) PurgeDeliveries(ctx context.Context) error {
	for after := feedback.EndpointID(0); ; {
		var keys []feedback.EndpointKey
		err := a.db.Read(ctx, func(s *store.Tx) (err error) {
			keys, err = s.EndpointKeys(ctx, after, leaseBatch)
			return err
		})
		if err != nil {
			return err
		}
		for _, k := range keys {
			if err := a.purgeDeliveries(ctx, k); err != nil {
				return err
			}
			after = k.Endpoint
		}
		if len(keys) < leaseBatch {
			return a.purgeEvents(ctx)
		}
	}
}

func (a *App) purgeDeliveries(ctx context.Context, k feedback.EndpointKey) error {
	return a.inBatches(ctx, func(s *store.Tx) (int64, error) {
		old := feedback.DeliveryID(ids.Floor(s.Now.Add(-keepLog)))
		n, err := s.PurgeDeliveries(ctx, k, old, false, sweepBatch)
		return int64(n), err
	})
}

func (a *App) purgeEvents(ctx context.Context) error {
	var waiting feedback.MessageID
	err := a.db.Read(ctx, func(s *store.Tx) (err error) {
		waiting, err = s.OldestWaiting(ctx, feedback.DeliveryID(ids.Floor(s.Now.Add(-keepLog))))
		return err
	})
	if err != nil {
		return err
	}
	return a.inBatches(ctx, func(s *store.Tx) (int64, error) {
		old := feedback.MessageID(ids.Floor(s.Now.Add(-keepEvents)))
		if waiting != 0 {
			old = min(old, waiting)
		}
		return s.PurgeEvents(ctx, old, sweepBatch)
	})
}

// inBatches repeats a write until it finds less to do than it may do at once.
func (a *App) inBatches(ctx context.Context, write func(*store.Tx) (int64, error)) error {
	for {
		var n int64
		err := a.db.Write(ctx, func(s *store.Tx) (err error) {
			n, err = write(s)
			return err
		})
		if err != nil || n < sweepBatch {
			return err
		}
	}
}

package main

import (
	"errors"
	"fmt"
	"log/slog"

	"heed/internal/app"
	"heed/internal/config"
	"heed/internal/server"
	"heed/internal/webhook"
	"heed/internal/worker"
)

// webhooks reads the settings of webhooks that the operations need.
func (s *settings) webhooks() (app.Webhooks, error) {
	if s.Webhooks == (config.Webhooks{}) {
		return app.Webhooks{Guard: webhook.NewGuard(nil)}, nil // a command without these settings
	}
	var errSchedule, errAfter, errAllow error
	schedule, err := webhook.ParseSchedule(s.Schedule)
	if err != nil {
		errSchedule = fmt.Errorf("HEED_WEBHOOK_SCHEDULE: %w", err)
	}
	if s.DisableAfter < 1 {
		errAfter = errors.New("HEED_WEBHOOK_DISABLE_AFTER: must be at least 1")
	}
	allowed, err := webhook.ParseCIDRs(s.AllowCIDRs)
	if err != nil {
		errAllow = fmt.Errorf("HEED_WEBHOOK_ALLOW_CIDRS: %w", err)
	}
	return app.Webhooks{Guard: webhook.NewGuard(allowed), Schedule: schedule, DisableAfter: s.DisableAfter},
		errors.Join(errSchedule, errAfter, errAllow)
}

// deliveries returns the task that sends webhooks. What opens the guard is
// logged: nobody should have to find out from an incident.
func (s *settings) deliveries(o *opened, log *slog.Logger, metrics *server.Metrics) (worker.Task, error) {
	roots, err := webhook.LoadRoots(s.ExtraCA)
	if err != nil {
		return worker.Task{}, fmt.Errorf("HEED_WEBHOOK_EXTRA_CA: %w", err)
	}
	if s.AllowCIDRs != "" {
		log.Warn("webhooks may be sent to private networks", "networks", s.AllowCIDRs)
	}
	if s.ExtraCA != "" {
		log.Warn("webhooks trust an extra certificate authority", "file", s.ExtraCA)
	}
	return worker.Deliveries(worker.DeliveryConfig{
		App: o.app, Sender: webhook.NewSender(webhook.Config{Guard: o.guard, Roots: roots}), Log: log,
		Observe: func(a app.Attempted) { metrics.WebhookAttempt(string(a.Outcome), a.Duration) },
	}), nil
}

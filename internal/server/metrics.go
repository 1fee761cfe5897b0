package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// DatabaseStats is what there is to see of the database at work.
type DatabaseStats struct {
	OpenConnections, ConnectionsInUse int
	ConnectionWaits                   int64
	WriteQueue                        int
	WriteBatches, Writes              int64
}

// Metrics counts what the service does, for Prometheus.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	refusals prometheus.Counter
	webhooks *prometheus.HistogramVec
}

// NewMetrics returns Metrics that also report on the database and the process.
func NewMetrics(database func() DatabaseStats) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "heed_http_requests_total", Help: "Requests by route and status.",
		}, []string{"method", "route", "status"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "heed_http_request_duration_seconds", Help: "How long requests took, by route.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		refusals: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "heed_rate_limit_refusals_total", Help: "Requests refused by a rate limit.",
		}),
	}
	m.webhooks = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "heed_webhook_attempt_duration_seconds", Help: "How long attempts at webhook deliveries took, by outcome.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15},
	}, []string{"outcome"})
	m.registry.MustRegister(m.requests, m.latency, m.refusals, m.webhooks,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge := func(name, help string, value func(DatabaseStats) float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return value(database()) }))
	}
	counter := func(name, help string, value func(DatabaseStats) float64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
			func() float64 { return value(database()) }))
	}
	gauge("heed_db_connections_open", "Open connections to the database.", func(s DatabaseStats) float64 { return float64(s.OpenConnections) })
	gauge("heed_db_connections_in_use", "Connections in use.", func(s DatabaseStats) float64 { return float64(s.ConnectionsInUse) })
	counter("heed_db_connection_waits_total", "How often a connection had to be waited for.", func(s DatabaseStats) float64 { return float64(s.ConnectionWaits) })
	gauge("heed_db_write_queue", "Writes that wait for the writer (SQLite).", func(s DatabaseStats) float64 { return float64(s.WriteQueue) })
	counter("heed_db_write_batches_total", "Commits of the writer (SQLite).", func(s DatabaseStats) float64 { return float64(s.WriteBatches) })
	counter("heed_db_writes_total", "Writes in those commits (SQLite); divided by them, the batch size.", func(s DatabaseStats) float64 { return float64(s.Writes) })
	return m
}

// RateLimited counts a request that was refused by a rate limit.
func (m *Metrics) RateLimited() { m.refusals.Inc() }

// WebhookAttempt counts an attempt at a webhook delivery.
func (m *Metrics) WebhookAttempt(outcome string, took time.Duration) {
	m.webhooks.WithLabelValues(outcome).Observe(took.Seconds())
}

// request counts a request. The route is its pattern, not its path, so there is a
// bounded number of series.
func (m *Metrics) request(route, method string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		method = "other" // any token is a method
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.latency.WithLabelValues(route).Observe(took.Seconds())
}

func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

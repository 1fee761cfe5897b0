package store

import "testing"

func BenchmarkRelevance(b *testing.B) {
	q := parseQuery("webhook retries")
	b.ReportAllocs()
	for b.Loop() {
		relevance(q, "Webhook deliveries should be retried when the other side is down")
	}
}

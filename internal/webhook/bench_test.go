package webhook

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// BenchmarkSend makes attempts against a TLS sink in the same process, so the
// sink's own cost is part of the figure. The bodies are of the size of a
// typical event.
func BenchmarkSend(b *testing.B) {
	ca := newAuthority(b)
	port, conns := serveHTTP(b, ca, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }))
	body := []byte(`{"type":"x","data":{"text":"` + strings.Repeat("a", 600) + `"}}`)
	for _, parallel := range []int{1, 4, 32} {
		b.Run(fmt.Sprintf("inflight=%d", 2*parallel), func(b *testing.B) {
			s := newTestSender(b, ca, nil)
			r := Request{URL: hook(port), ID: "msg_0000000000000", Body: body, Secrets: []Secret{NewSecret()}}
			before := conns.opened.Load()
			b.SetParallelism(parallel)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if a := s.Send(b.Context(), r); a.Outcome != Succeeded {
						b.Errorf("Send = %+v", a)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
			b.ReportMetric(float64(conns.opened.Load()-before), "conns")
		})
	}
}

// BenchmarkSendNewConnection is the cost when every attempt shakes hands anew.
func BenchmarkSendNewConnection(b *testing.B) {
	ca := newAuthority(b)
	port, _ := serveHTTP(b, ca, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Connection", "close") }))
	s := newTestSender(b, ca, nil)
	r := Request{URL: hook(port), ID: "m", Body: []byte("{}"), Secrets: []Secret{NewSecret()}}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if a := s.Send(b.Context(), r); a.Outcome != Succeeded {
				b.Errorf("Send = %+v", a)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
}

func BenchmarkCheckURL(b *testing.B) {
	g := &Guard{}
	b.ReportAllocs()
	for b.Loop() {
		if g.CheckURL("https://hooks.example.com/services/T000/B000/XXXX?x=1") != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkPermits(b *testing.B) {
	g := &Guard{}
	ap := netip.MustParseAddrPort("[2606:4700:4700::1111]:443")
	for b.Loop() {
		g.Permits(ap)
	}
}

package store_test

import (
	"strings"
	"testing"

	"heed/internal/feedbacktest"
	"heed/internal/store"
)

// TestDeliveryPlans: what is waiting, and what failed, is found by its index,
// however long the log is.
func TestDeliveryPlans(t *testing.T) {
	feedbacktest.EachDB(t, func(t *testing.T, db *store.DB) {
		all, err := db.DeliveryPlans(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			if !strings.Contains(p.Plan, p.Index) || strings.Contains(p.Plan, "Seq Scan on deliveries") || strings.Contains(p.Plan, "SCAN deliveries") {
				t.Errorf("%s are not found by %s:\n%s", p.Name, p.Index, p.Plan)
			}
		}
	})
}

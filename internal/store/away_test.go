package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"zombiezen.com/go/sqlite"

	"heed/internal/feedback"
	"heed/internal/feedbacktest"
)

// TestAway tells errors of a database that cannot be used at the moment from
// those of a question that was wrong.
func TestAway(t *testing.T) {
	for engine, cases := range map[string][]struct {
		err  error
		away bool
	}{
		"sqlite": {
			{sqlite.ResultBusy.ToError(), true}, {sqlite.ResultBusySnapshot.ToError(), true}, {sqlite.ResultFull.ToError(), true},
			{sqlite.ResultIOErrFsync.ToError(), true}, {sqlite.ResultReadOnlyDirectory.ToError(), true},
			{sqlite.ResultConstraintUnique.ToError(), false}, {sqlite.ResultError.ToError(), false}, {sqlite.ResultCorrupt.ToError(), false},
			{errors.New("anything"), false}, {context.Canceled, false}, {feedback.Missing("post", "x"), false},
		},
		"postgres": {
			{io.ErrUnexpectedEOF, true}, {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, true},
			{&pgconn.PgError{Code: "57P01"}, true}, {&pgconn.PgError{Code: "57P03"}, true}, {&pgconn.PgError{Code: "53300"}, true},
			{&pgconn.PgError{Code: "08006"}, true}, {&pgconn.PgError{Code: "25006"}, true}, {&pgconn.PgError{Code: "40P01"}, true},
			{&pgconn.PgError{Code: "23505", ConstraintName: "boards_slug"}, false}, {&pgconn.PgError{Code: "42601"}, false},
			{&pgconn.PgError{Code: "57014"}, false}, {context.DeadlineExceeded, false},
			{fmt.Errorf("timeout: %w: %w", context.DeadlineExceeded, &net.OpError{Op: "read", Err: syscall.ETIMEDOUT}), false},
			{errors.New("anything"), false}, {feedback.Missing("post", "x"), false},
		},
	} {
		t.Run(engine, func(t *testing.T) {
			db := feedbacktest.OpenDB(t, engine)
			for _, c := range cases {
				got := db.Judge(fmt.Errorf("boards: %w", c.err))
				if away := feedback.CodeOf(got) == feedback.Unavailable; away != c.away || !errors.Is(got, c.err) {
					t.Errorf("%v: away is %v; want %v", got, away, c.away)
				}
			}
			if err := db.Judge(nil); err != nil {
				t.Errorf("no error = %v", err)
			}
		})
	}
}

package dashboard

import "heed/internal/feedback"

// Row is a row of the table of routes, for tests to cross with roles.
type Row struct {
	Pattern         string
	Least           feedback.Role
	Operator, Proof bool
}

// Table is the table of routes.
func Table() []Row {
	var rows []Row
	for _, r := range routes() {
		rows = append(rows, Row{r.pattern, r.least, r.operator, r.proof})
	}
	return rows
}

// Command heed is the service and the operator's tool for it: it serves the API,
// the dashboard and the portals, and works on the same database from the command
// line, also while servers run.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"heed/internal/feedback"
)

// version is set when a release is built.
var version = "dev"

// commands is the command line.
type commands struct {
	Serve    serveCmd    `cmd:"" help:"Serve the API, the dashboard and the portals."`
	Demo     demoCmd     `cmd:"" help:"Serve a lively sample site on a throw-away database."`
	Init     initCmd     `cmd:"" help:"Open an account with its owner, a site and an API key."`
	Site     siteCmd     `cmd:"" help:"Work on sites."`
	Key      keyCmd      `cmd:"" help:"Work on API keys."`
	Account  accountCmd  `cmd:"" help:"Work on accounts."`
	Mail     mailCmd     `cmd:"" help:"Try the settings of mail."`
	Fill     fillCmd     `cmd:"" help:"Fill a site with made-up data, for trying and measuring."`
	Check    checkCmd    `cmd:"" help:"Compare counters, references, the search index and the outbox with the rows."`
	Backup   backupCmd   `cmd:"" help:"Write a backup of the whole database, while it is in use."`
	Restore  restoreCmd  `cmd:"" help:"Read a backup into an empty database of either kind."`
	Migrate  migrateCmd  `cmd:"" help:"Work on the schema of the database."`
	OpenAPI  openapiCmd  `cmd:"" name:"openapi" help:"Print the OpenAPI document."`
	Doctor   doctorCmd   `cmd:"" help:"Check the installation and say what to mend."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
	Insights insightsCmd `cmd:"" help:"Find the themes in feedback."`
}

// stdio is where a command writes: results to out, progress and the log to err.
type stdio struct{ out, err io.Writer }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], stdio{os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// run runs one command and returns the exit code: 0 done, 1 failed, 2 misused.
func run(ctx context.Context, args []string, io stdio) (code int) {
	forgetEmpty()
	var cli commands
	exited := -1
	parser, err := kong.New(&cli,
		kong.Name("heed"),
		kong.Description("Feedback that gets heeded: portals, a dashboard and an API in one program."),
		kong.Writers(io.out, io.err),
		kong.Exit(func(c int) { exited = c }),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		panic(err) // the struct above is wrong
	}
	command, err := parser.Parse(args)
	switch {
	case exited >= 0:
		return exited // help was asked for
	case err != nil:
		fmt.Fprintf(io.err, "heed: %v\nSee heed --help.\n", err)
		return 2
	}
	command.BindTo(ctx, (*context.Context)(nil))
	if err := command.Run(io); err != nil {
		printError(io.err, err)
		return 1
	}
	return 0
}

// forgetEmpty unsets the settings that are set to nothing, as a file of settings
// does with those it leaves open: the default holds for them.
func forgetEmpty() {
	for _, entry := range os.Environ() {
		if name, value, _ := strings.Cut(entry, "="); value == "" && strings.HasPrefix(name, "HEED_") {
			os.Unsetenv(name)
		}
	}
}

// printError says what went wrong and, where there is one, the step that fixes
// it.
func printError(w io.Writer, err error) {
	e, ok := errors.AsType[*feedback.Error](err)
	if !ok || e.Code == feedback.Unavailable && e.Err != nil { // whose cause is for the operator
		fmt.Fprintf(w, "heed: %v\n", err)
		return
	}
	if fields, ok := e.Details["fields"].(feedback.Problems); ok {
		fmt.Fprintln(w, "heed: this cannot be done as asked:")
		for _, f := range fields {
			fmt.Fprintf(w, "  %s %s\n", f.Path, f.Message)
		}
		return
	}
	fmt.Fprintf(w, "heed: %s\n", e.Msg)
	switch {
	case e.Code == feedback.NotFound && e.Details["resource"] == "account":
		fmt.Fprintln(w, "  heed account list lists the accounts.")
	case e.Code != feedback.NotFound && e.Hint != "": // what it says of keys and paths is for the API
		fmt.Fprintf(w, "  %s\n", e.Hint)
	}
}

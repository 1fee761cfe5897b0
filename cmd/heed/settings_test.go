package main

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"heed/internal/config"
)

var update = flag.Bool("update", false, "write the files that are made from the code")

const settingsPage = "../../docs/settings.md"

// TestSettingsPage keeps the page of settings what the struct says.
func TestSettingsPage(t *testing.T) {
	want := settingsText()
	if *update {
		if err := os.WriteFile(settingsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(settingsPage)
	if err != nil || string(got) != want {
		t.Errorf("docs/settings.md is not what internal/config says (%v): run go test ./cmd/heed -run TestSettingsPage -update", err)
	}
}

func settingsText() string {
	var b strings.Builder
	b.WriteString("# Settings\n\nMade from the code. Every setting is a flag of the commands that need it and an environment variable; the flag wins.\n")
	for _, part := range []struct {
		title  string
		fields reflect.Type
	}{
		{"The database", reflect.TypeFor[config.Database]()},
		{"What is allowed", reflect.TypeFor[config.Rules]()},
		{"The server", reflect.TypeFor[config.Server]()},
		{"Webhooks", reflect.TypeFor[config.Webhooks]()},
		{"Mail", reflect.TypeFor[config.Mail]()},
		{"Single sign-on", reflect.TypeFor[config.SignOn]()},
		{"An AI provider", reflect.TypeFor[config.AI]()},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| Variable | Flag | Default | Meaning |\n|---|---|---|---|\n", part.title)
		for i := range part.fields.NumField() {
			f := part.fields.Field(i).Tag
			standard := f.Get("default")
			if standard != "" {
				standard = "`" + standard + "`"
			}
			fmt.Fprintf(&b, "| `%s` | `--%s` | %s | %s |\n", f.Get("env"), f.Get("name"), standard, strings.ReplaceAll(f.Get("help"), "|", `\|`))
		}
	}
	return b.String()
}

// TestEveryFlagHasAVariable holds that what can be said on the command line can
// be said in the environment, under the same name.
func TestEveryFlagHasAVariable(t *testing.T) {
	parser, err := kong.New(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, command := range parser.Model.Leaves(false) {
		for _, f := range command.Flags {
			if f.Name == "help" {
				continue
			}
			seen++
			want := "HEED_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
			if !slices.Equal(f.Envs, []string{want}) {
				t.Errorf("heed %s --%s is %v in the environment; want %s", command.Path(), f.Name, f.Envs, want)
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d flags: the test tests nothing", seen)
	}
}

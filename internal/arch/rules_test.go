package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxLines is what a reader is asked to hold at once.
const maxLines = 600

func checkLength(files []goFile) []string {
	var wrong []string
	for _, f := range files {
		if f.lines > maxLines && !f.isTest() && !ast.IsGenerated(f.ast) {
			wrong = append(wrong, fmt.Sprintf("%s: %d lines; split it by what it is about, at most %d", f.path, f.lines, maxLines))
		}
	}
	return wrong
}

// checkPackageComments asks that every package says what it is for.
func checkPackageComments(files []goFile) []string {
	commented, seen := map[string]bool{}, map[string]bool{}
	var order []string
	for _, f := range files {
		if strings.HasSuffix(f.ast.Name.Name, "_test") {
			continue
		}
		dir := path.Dir(f.path)
		if !seen[dir] {
			seen[dir] = true
			order = append(order, dir)
		}
		if f.ast.Doc != nil && !f.isTest() {
			start := "Package " + f.ast.Name.Name + " "
			if f.ast.Name.Name == "main" {
				start = "Command "
			}
			commented[dir] = commented[dir] || strings.HasPrefix(f.ast.Doc.Text(), start)
		}
	}
	var wrong []string
	for _, dir := range order {
		if !commented[dir] {
			wrong = append(wrong, dir+": no comment that begins with 'Package' (or, for a program, 'Command') and says what it is for")
		}
	}
	return wrong
}

// checkSleep: a test that sleeps is slow when all is well and wrong when the
// machine is busy. Wait for a signal, or use testing/synctest.
func checkSleep(files []goFile) []string {
	var wrong []string
	for _, f := range files {
		if !f.isTest() && !slices.Contains(forTests, f.pkg()) {
			continue
		}
		for _, pos := range f.mentions("time", "Sleep") {
			wrong = append(wrong, f.at(pos)+": a test sleeps")
		}
	}
	return wrong
}

// checkEnvironment: settings are read once, in the command, and handed down.
// Tests and what helps them have no command to do it for them.
func checkEnvironment(files []goFile) []string {
	var wrong []string
	for _, f := range files {
		if f.isTest() || slices.Contains(forTests, f.pkg()) || strings.HasPrefix(f.path, "cmd/") {
			continue
		}
		for _, pos := range f.mentions("os", "Getenv", "LookupEnv", "Environ", "ExpandEnv") {
			wrong = append(wrong, f.at(pos)+": only cmd reads the environment")
		}
	}
	return wrong
}

// machinePath matches a path that exists on somebody's machine only. It is put
// together so that it does not match itself.
var machinePath = regexp.MustCompile(`(^|[^\w./-])/(` + `work|root|Users/\w+|home/\w+)(/|\b)`)

// checkMachinePaths looks at every text of the project, not only at Go.
func checkMachinePaths(tree fs.FS) ([]string, error) {
	var wrong []string
	err := walk(tree, func(name string, text []byte) error {
		if bytes.IndexByte(text, 0) >= 0 || strings.HasSuffix(name, ".min.js") {
			return nil
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			if m := machinePath.Find(line); m != nil {
				wrong = append(wrong, fmt.Sprintf("%s:%d: names a place on one machine: %s", name, i+1, m))
			}
		}
		return nil
	})
	return wrong, err
}

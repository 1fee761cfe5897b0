package insights

import (
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// Fused multiply-add rounds once where two operations round twice. The
// compiler uses it on arm64 wherever the language lets it, and then a cached
// vector, a theme or an id would depend on the machine that ran. The language
// does not let it where a product is converted explicitly, and this test
// finds the places where someone forgot.
func TestNothingIsFused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for another processor")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool")
	}
	cmd := exec.Command(goTool, "build", "-gcflags=-S", ".", "./minilm", "./tone", "./dotp")
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("compile for arm64: %v\n%s", err, out)
	}
	fused := regexp.MustCompile(`(?m)^.*\((\S+\.go:\d+)\)\s+(FN?M(?:ADD|SUB)[SD])\b`)
	if !regexp.MustCompile(`\(\S+\.go:\d+\)\s+FMUL[SD]\b`).Match(out) {
		t.Fatal("the listing shows no multiplication at all: has its format changed?")
	}
	for _, m := range fused.FindAllSubmatch(out, -1) {
		t.Errorf("%s: %s: convert the product explicitly", m[1], m[2])
	}
}

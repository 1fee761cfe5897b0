package auth

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// LoadOrCreateMaster returns the master secret kept in the file at path, and
// makes the file with a fresh one, readable by its owner only, when there is
// none. Processes that race on a missing file all end up with the same secret,
// and a crash leaves either no file or a whole one: losing this secret means
// losing every value sealed with it. A file that everybody may read is refused.
func LoadOrCreateMaster(path string) (Master, error) {
	m, err := loadMaster(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	if err := createMaster(path); err != nil {
		return Master{}, fmt.Errorf("create secret key file: %w", err)
	}
	return loadMaster(path)
}

func loadMaster(path string) (Master, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Master{}, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0 {
		return Master{}, fmt.Errorf("secret key file %s may be read by everybody (mode %04o); chmod 600 it",
			path, info.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Master{}, err
	}
	m, err := ParseMaster(string(text))
	if err != nil {
		return Master{}, fmt.Errorf("secret key file %s: %w", path, err)
	}
	return m, nil
}

// createMaster writes a whole file beside path and links it there. Creating
// path itself exclusively would let the loser of a race read it half written.
func createMaster(path string) error {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*") // exclusive, mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	secret := NewMaster().secret()
	_, err = tmp.WriteString(base64.StdEncoding.EncodeToString(secret[:]) + "\n")
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(dir)
}

// syncDir makes the new name durable: syncing a file does not sync the entry
// that leads to it. Some systems cannot sync a directory, and need not.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

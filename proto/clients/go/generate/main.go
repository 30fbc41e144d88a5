// Command generate writes messages.go from gjkd.proto. With -check it fails if that is not up to date.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"log"
	"os"
	"regexp"
	"strings"
)

var (
	message = regexp.MustCompile(`(?s)message (\w+) \{(.*?)\n\}`)
	field   = regexp.MustCompile(`(?m)^\s*(repeated )?(\w+) (\w+) = (\d+);[ \t]*(?://[ \t]*(.*))?$`)
	types   = map[string]string{"double": "float64", "float": "float32", "bytes": "[]byte"}
)

func camel(name string) string {
	out := ""
	for _, word := range strings.Split(name, "_") {
		out += strings.ToUpper(word[:1]) + word[1:]
	}
	return out
}

func generate(proto string) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("// Written by generate: do not edit.\n\npackage gjkd\n")
	for _, m := range message.FindAllStringSubmatch(proto, -1) {
		fmt.Fprintf(&out, "\n// %s is the message of gjkd.proto.\ntype %s struct {\n", m[1], m[1])
		for _, f := range field.FindAllStringSubmatch(m[2], -1) {
			kind := f[2]
			if known, ok := types[kind]; ok {
				kind = known
			} else if strings.ToUpper(kind[:1]) == kind[:1] {
				kind = "*" + kind
			}
			if f[1] != "" {
				kind = "[]" + kind
			}
			fmt.Fprintf(&out, "%s %s `gjkd:\"%s\"`", camel(f[3]), kind, f[4])
			if f[5] != "" {
				fmt.Fprintf(&out, " // %s", f[5])
			}
			out.WriteString("\n")
		}
		out.WriteString("}\n")
	}
	return format.Source(out.Bytes())
}

func main() {
	proto, err := os.ReadFile("../../gjkd.proto")
	if err != nil {
		log.Fatal(err)
	}
	text, err := generate(string(proto))
	if err != nil {
		log.Fatal(err)
	}
	if len(os.Args) > 1 && os.Args[1] == "-check" {
		if now, _ := os.ReadFile("messages.go"); !bytes.Equal(now, text) {
			log.Fatal("messages.go is not up to date; run: go run ./generate")
		}
		return
	}
	if err := os.WriteFile("messages.go", text, 0o644); err != nil {
		log.Fatal(err)
	}
}

package gjkd

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"strconv"
)

// NoHandle stands for no shape, no hit, no piece.
const NoHandle = math.MaxUint32

var errTruncated = errors.New("gjkd: a message ends within a field")

func number(field reflect.StructField) uint64 {
	n, _ := strconv.Atoi(field.Tag.Get("gjkd"))
	return uint64(n)
}

func appendFramed(out []byte, field uint64, body []byte) []byte {
	out = binary.AppendUvarint(out, field<<3|2)
	out = binary.AppendUvarint(out, uint64(len(body)))
	return append(out, body...)
}

// appendMessage appends a message, a pointer to one of the structs of messages.go, as protobuf has it.
func appendMessage(out []byte, message reflect.Value) []byte {
	value := message.Elem()
	for i := 0; i < value.NumField(); i++ {
		field, n := value.Field(i), number(value.Type().Field(i))
		if field.IsZero() {
			continue
		}
		switch v := field.Interface().(type) {
		case bool:
			out = append(binary.AppendUvarint(out, n<<3), 1)
		case uint32:
			out = binary.AppendUvarint(binary.AppendUvarint(out, n<<3), uint64(v))
		case uint64:
			out = binary.AppendUvarint(binary.AppendUvarint(out, n<<3), v)
		case float64:
			out = binary.LittleEndian.AppendUint64(binary.AppendUvarint(out, n<<3|1), math.Float64bits(v))
		case string:
			out = appendFramed(out, n, []byte(v))
		case []byte:
			out = appendFramed(out, n, v)
		case []string:
			for _, text := range v {
				out = appendFramed(out, n, []byte(text))
			}
		case []float64:
			out = binary.AppendUvarint(binary.AppendUvarint(out, n<<3|2), uint64(8*len(v)))
			for _, x := range v {
				out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
			}
		case []float32:
			out = binary.AppendUvarint(binary.AppendUvarint(out, n<<3|2), uint64(4*len(v)))
			for _, x := range v {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
			}
		case []uint32:
			packed := make([]byte, 0, 2*len(v))
			for _, x := range v {
				packed = binary.AppendUvarint(packed, uint64(x))
			}
			out = appendFramed(out, n, packed)
		default:
			if field.Kind() == reflect.Pointer {
				out = appendFramed(out, n, appendMessage(nil, field))
				continue
			}
			for k := 0; k < field.Len(); k++ {
				out = appendFramed(out, n, appendMessage(nil, field.Index(k)))
			}
		}
	}
	return out
}

// readMessage reads a message into one of the structs of messages.go. It passes over fields that it does not know.
func readMessage(data []byte, message reflect.Value) error {
	value := message.Elem()
	fields := map[uint64]reflect.Value{}
	for i := 0; i < value.NumField(); i++ {
		fields[number(value.Type().Field(i))] = value.Field(i)
	}
	for len(data) > 0 {
		key, size := binary.Uvarint(data)
		if size <= 0 {
			return errTruncated
		}
		data = data[size:]
		length := map[uint64]uint64{1: 8, 5: 4}[key&7]
		if key&7 == 0 || key&7 == 2 {
			if length, size = binary.Uvarint(data); size <= 0 {
				return errTruncated
			}
			data = data[size:]
		}
		field := fields[key>>3]
		if key&7 == 0 {
			if field.IsValid() && field.Kind() == reflect.Bool {
				field.SetBool(length != 0)
			} else if field.IsValid() && field.CanUint() {
				field.SetUint(length)
			}
			continue
		}
		if length > uint64(len(data)) {
			return errTruncated
		}
		if field.IsValid() {
			if err := readField(data[:length], field); err != nil {
				return err
			}
		}
		data = data[length:]
	}
	return nil
}

func readField(data []byte, field reflect.Value) error {
	switch field.Interface().(type) {
	case float64:
		if len(data) != 8 {
			return errTruncated
		}
		field.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(data)))
	case string:
		field.SetString(string(data))
	case []byte:
		field.SetBytes(data)
	case []string:
		field.Set(reflect.Append(field, reflect.ValueOf(string(data))))
	case []float64:
		out := make([]float64, len(data)/8)
		for i := range out {
			out[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
		field.Set(reflect.ValueOf(out))
	case []uint32:
		out := make([]uint32, 0, len(data))
		for len(data) > 0 {
			x, size := binary.Uvarint(data)
			if size <= 0 {
				return errTruncated
			}
			out, data = append(out, uint32(x)), data[size:]
		}
		field.Set(reflect.ValueOf(out))
	default:
		if field.Kind() != reflect.Pointer && field.Kind() != reflect.Slice {
			return errTruncated
		}
		kind := field.Type().Elem()
		if field.Kind() == reflect.Pointer {
			field.Set(reflect.New(kind))
			return readMessage(data, field)
		}
		inner := reflect.New(kind.Elem())
		field.Set(reflect.Append(field, inner))
		return readMessage(data, inner)
	}
	return nil
}

// Asked by `converters.py`: prints the version and the charsets, then answers lines `charset TAB hex` with the text as
// UTF-32BE in hexadecimal, or `-` where the bytes are malformed or unmappable.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.util.HashMap;
import java.util.Map;
import java.util.StringJoiner;

class Converter {
    private static final Map<String, CharsetDecoder> DECODERS = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        PrintWriter out = new PrintWriter(System.out);
        StringJoiner names = new StringJoiner(";");
        for (Charset charset : Charset.availableCharsets().values()) {
            names.add(charset.name() + " " + String.join(" ", charset.aliases()));
        }
        out.println(System.getProperty("java.version") + "\t" + names);
        out.flush();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "ISO-8859-1"));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int tab = line.indexOf('\t');
            out.println(answer(line.substring(0, tab), line.substring(tab + 1)));
            if (!in.ready()) {
                out.flush();
            }
        }
        out.flush();
    }

    private static String answer(String name, String hex) {
        byte[] bytes = new byte[hex.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(hex, 2 * i, 2 * i + 2, 16);
        }
        try {
            StringBuilder answer = new StringBuilder();
            decoder(name).decode(ByteBuffer.wrap(bytes)).codePoints()
                .forEach(code -> answer.append(String.format("%08x", code)));
            return answer.toString();
        } catch (CharacterCodingException | IllegalArgumentException e) {
            return "-";
        }
    }

    private static CharsetDecoder decoder(String name) {
        return DECODERS.computeIfAbsent(name, n -> Charset.forName(n).newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT));
    }
}

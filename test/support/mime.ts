import { pythonFunction } from './python.ts';

/** A mail as parsed by Python. */
export interface ParsedMail {
  /** Decoded, in order; repeated headers are kept. */
  headers: [name: string, value: string][];
  /** `type/subtype` of each node with its depth, in order. */
  structure: string[];
  parts: { type: string; disposition: string | null; filename: string | null; text: string | null; base64: string }[];
  /** Defects that Python finds in headers and parts. */
  defects: string[];
  /** Length of the longest line, without its end. */
  longestLine: number;
  /** Lines that do not end in CRLF. */
  bareLineEnds: number;
  ascii: boolean;
}

const PARSER = `
import base64, re
from email import message_from_bytes, policy
def answer_to(raw):
    mail = message_from_bytes(raw, policy=policy.default)
    parts, structure, defects = [], [], []
    def walk(node, depth):
        structure.append('  ' * depth + node.get_content_type())
        defects.extend(str(defect) for defect in node.defects)
        defects.extend(f'{name}: {defect}' for name, value in node.items() for defect in getattr(value, 'defects', ()))
        if node.is_multipart():
            for child in node.iter_parts():
                walk(child, depth + 1)
        else:
            content = node.get_payload(decode=True)
            text = node.get_content() if node.get_content_maintype() == 'text' else None
            parts.append({'type': node.get_content_type(), 'disposition': node.get_content_disposition(),
                'filename': node.get_filename(), 'text': text, 'base64': base64.b64encode(content).decode()})
    walk(mail, 0)
    return {'headers': [[name, str(value)] for name, value in mail.items()], 'structure': structure, 'parts': parts,
        'defects': defects, 'longestLine': max(len(line) for line in raw.split(b'\\r\\n')),
        'bareLineEnds': len(re.findall(rb'(?<!\\r)\\n|\\r(?!\\n)', raw)), 'ascii': raw.isascii()}
`;

/** Parses a mail with Python's email package. */
export const parseMail = pythonFunction<ParsedMail>(PARSER);

/** Returns a header's only value; fails if it is missing or repeated. */
export function headerOf({ headers }: ParsedMail, name: string): string {
  const values = headers.filter(([header]) => header.toLowerCase() === name.toLowerCase());
  if (values.length !== 1) throw new Error(`${name} occurs ${values.length} times`);
  return values[0]![1];
}

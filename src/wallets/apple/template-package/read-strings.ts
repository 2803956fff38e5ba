/** A problem with a file of translations. */
export class StringsError extends Error {}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t' };

const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;
/** A key without quotes (old property lists). */
const BARE = /[\w.$:/-]+/y;

/**
 * Reads the texts of a `pass.strings` by key: `"key" = "value";` with comments and escapes, in UTF-8 or UTF-16. The
 * last value of a repeated key wins. Throws `StringsError`.
 */
export function readStrings(bytes: Uint8Array): Map<string, string> {
  const text = decode(bytes);
  const table = new Map<string, string>();
  let at = 0;
  const skip = () => {
    at = endOfSpace(text, at);
  };
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match;
  };
  const mark = (character: string): boolean => {
    skip();
    if (text[at] !== character) return false;
    at++;
    return true;
  };
  const word = (): string => {
    skip();
    const quoted = take(QUOTED);
    if (quoted) return unescaped(quoted[1]!);
    const bare = take(BARE);
    if (bare) return bare[0];
    throw broken(text, at);
  };
  for (skip(); at < text.length; skip()) {
    const key = word();
    // A key without a value is its own value.
    const value = mark('=') ? word() : key;
    if (!mark(';')) throw broken(text, at);
    table.set(key, value);
  }
  return table;
}

/** Returns the position after whitespace and comments. */
function endOfSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    if (/\s/.test(text[at]!)) at++;
    else if (text.startsWith('//', at)) at = endOf(text, '\n', at);
    else if (text.startsWith('/*', at) && text.indexOf('*/', at + 2) > 0) at = endOf(text, '*/', at + 2);
    else return at;
  }
  return at;
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

function broken(text: string, at: number): StringsError {
  const line = text.slice(0, at).split('\n').length;
  return new StringsError(`line ${line} does not look like "key" = "value";`);
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (bytes.length >= 6 && String.fromCharCode(...bytes.subarray(0, 6)) === 'bplist')
    throw new StringsError('it is compiled; only texts can be read');
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes).toWellFormed();
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes).toWellFormed();
  // Without a byte order mark, the zero byte of the first character shows the byte order.
  if (first === 0) return new TextDecoder('utf-16be').decode(bytes).toWellFormed();
  if (second === 0) return new TextDecoder('utf-16le').decode(bytes).toWellFormed();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new StringsError('it is neither UTF-8 nor UTF-16');
  }
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const plain = text.replace(/\\(?:[Uu]([0-9A-Fa-f]{4})|([\s\S]))/g, (_, code: string | undefined, one: string) =>
    code === undefined ? (ESCAPES[one] ?? one) : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return plain.toWellFormed();
}

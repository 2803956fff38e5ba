/* Web NFC (W3C community group draft), available in Chrome on Android and missing in the DOM types. */

interface NdefRecord {
  recordType: string;
  encoding?: string;
  data?: DataView;
}

interface NdefReader extends EventTarget {
  scan(options: { signal: AbortSignal }): Promise<void>;
}

interface NdefReadingEvent extends Event {
  message: { records: NdefRecord[] };
}

const { NDEFReader } = window as { NDEFReader?: new () => NdefReader };

/** Whether this browser can read NFC tags. */
export const HAS_NFC = NDEFReader !== undefined;

/** Reads NFC tags until `signal` aborts. Rejects without permission. A tag's value is its first text or URL record. */
export async function listenToNfc(onValue: (value: string) => void, signal: AbortSignal): Promise<void> {
  const reader = new NDEFReader!();
  reader.addEventListener(
    'reading',
    (event) => {
      const value = (event as NdefReadingEvent).message.records.map(textOf).find((text) => text);
      if (value) onValue(value);
    },
    { signal },
  );
  await reader.scan({ signal });
}

function textOf({ recordType, encoding, data }: NdefRecord): string | undefined {
  if (!data || !['text', 'url', 'absolute-url', 'mime'].includes(recordType)) return undefined;
  return new TextDecoder(encoding).decode(data).trim();
}

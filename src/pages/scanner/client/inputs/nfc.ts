/*
 * Web NFC (W3C community group draft), which Chrome on Android has; the DOM's types do not know it.
 */

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

/** Whether this browser reads NFC tags. */
export const HAS_NFC = NDEFReader !== undefined;

/**
 * Listens to NFC tags until `signal` aborts; rejects when the person or the device does not allow it. A tag's first
 * text or address is its value.
 */
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

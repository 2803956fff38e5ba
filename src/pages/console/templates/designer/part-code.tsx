import { Check, Group, Part, Select, Text, Whole } from './controls.tsx';

const FORMATS = {
  qr: 'QR code',
  pdf417: 'PDF417',
  aztec: 'Aztec',
  code128: 'Code 128',
  ean13: 'EAN-13 (iOS 27, else QR)',
  code39: 'Code 39 (iOS 27, else QR)',
  codabar: 'Codabar (iOS 27, else QR)',
  itf: 'Interleaved 2 of 5 (iOS 27, else QR)',
  none: 'None',
};

/** Machine-readable parts of a pass: barcode, serial number, NFC. */
export function CodePart() {
  return (
    <Part name="code">
      <Group title="Barcode">
        <Select name="barcode.format" label="Format" options={FORMATS} />
        <Text
          name="barcode.value"
          label="Value"
          hint="For passes without a value. Supports placeholders. Leave empty for {bcbp} on flights, otherwise a generated value."
        />
        <Text
          name="barcode.alternativeText"
          label="Text below the barcode"
          hint="Supports placeholders, for example {barcodeValue}."
        />
        <Check
          name="barcode.valueDifferentForEachPass"
          label="Use a separate value for each pass"
          hint="Ignores the text above. A pass without a value gets a generated one."
        />
        <Check name="barcode.useAutoIdForValue" label="Always generate the value" />
      </Group>
      <Group
        columns
        title="Rotating code"
        text="The code changes at a fixed interval, so a copy soon becomes invalid. Only for QR codes and PDF417. Leave empty for a static code."
      >
        <Whole name="barcode.rotating.periodSeconds" label="Seconds per code" hint="15 to 120." />
        <Whole name="barcode.rotating.digits" label="Digits" hint="6 to 8." />
        <Select
          name="barcode.rotating.apple"
          label="Apple Wallet"
          options={{ static: 'Only the value, accepted once' }}
          none="No code"
          hint="Apple Wallet doesn’t support rotating codes."
        />
      </Group>
      <Group
        columns
        title="Number range"
        text="The next free number becomes the barcode value. Each number is used once. Leave empty for no range."
      >
        <Whole name="customNumberRange.from" label="From" />
        <Whole name="customNumberRange.to" label="To" />
        <Text name="customNumberRange.prefix" label="Prefix" />
        <Whole name="customNumberRange.padding" label="Digits" hint="Shorter numbers get leading zeros." />
      </Group>
      <Group
        title="NFC"
        text="The phone sends the barcode value to a reader. Needs a pass certificate with NFC enabled by Apple."
      >
        <Check name="nfc.enabled" label="Send by NFC" />
        <Check name="nfc.requiresAuthentication" label="Only when the phone is unlocked" />
        <Text
          name="nfc.encryptionPublicKey"
          label="Public key of the readers"
          hint="P-256, compressed, as SubjectPublicKeyInfo in base64."
          more={{ spellcheck: 'false', autocomplete: 'off' }}
        />
      </Group>
    </Part>
  );
}

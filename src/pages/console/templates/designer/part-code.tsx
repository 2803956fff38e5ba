import { Check, Group, Part, Select, Text, Whole } from './controls.tsx';
import type { DesignerForm } from './designer-form.ts';

const FORMATS = { qr: 'QR code', pdf417: 'PDF417', aztec: 'Aztec', code128: 'Code 128', none: 'None' };

/** Parts of a pass that scanners read: its code, its number, NFC. */
export function CodePart({ form }: { form: DesignerForm }) {
  return (
    <Part name="code">
      <Group title="Code">
        <Select form={form} name="barcode.format" label="Format" options={FORMATS} />
        <Text
          form={form}
          name="barcode.value"
          label="Value"
          hint="With placeholders; for passes that bring no value of their own. Empty: a generated one."
        />
        <Text
          form={form}
          name="barcode.alternativeText"
          label="Text below"
          hint="With placeholders, for example {barcodeValue}."
        />
        <Check
          form={form}
          name="barcode.valueDifferentForEachPass"
          label="Each pass brings its value"
          hint="The text above is then not used; a pass without a value gets a generated one."
        />
        <Check form={form} name="barcode.useAutoIdForValue" label="Always generate the value" />
      </Group>
      <Group
        columns
        title="Number range"
        text="The next free number becomes the value of the code, and none is ever handed out twice. Empty: no range."
      >
        <Whole form={form} name="customNumberRange.from" label="From" />
        <Whole form={form} name="customNumberRange.to" label="To" />
        <Text form={form} name="customNumberRange.prefix" label="Prefix" />
        <Whole
          form={form}
          name="customNumberRange.padding"
          label="Digits"
          hint="Shorter numbers are filled with zeros."
        />
      </Group>
      <Group
        title="NFC"
        text="The phone hands the code’s value to a reader. Needs a pass certificate that Apple has enabled for NFC."
      >
        <Check form={form} name="nfc.enabled" label="Hand over by NFC" />
        <Check form={form} name="nfc.requiresAuthentication" label="Only after the owner has unlocked the phone" />
        <Text
          form={form}
          name="nfc.encryptionPublicKey"
          label="Public key of the readers"
          hint="P-256, compressed, as SubjectPublicKeyInfo in base64."
          more={{ spellcheck: 'false', autocomplete: 'off' }}
        />
      </Group>
    </Part>
  );
}

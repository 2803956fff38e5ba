import { Area, Check, Group, Part, Text } from './controls.tsx';
import type { DesignerForm } from './designer-form.ts';

/** How passes reach their holders. */
export function DeliveryPart({ form }: { form: DesignerForm }) {
  return (
    <Part name="delivery">
      <Group title="Wallets" text="Which wallets the download page offers.">
        <Check form={form} name="walletApps.apple" label="Apple Wallet" />
        <Check form={form} name="walletApps.google" label="Google Wallet" />
      </Group>
      <Group title="Download">
        <Check form={form} name="downloadPinEnabled" label="Passes may ask for a PIN" />
        <Check
          form={form}
          name="preventDownloadWhenActive"
          label="Once on a phone, not again"
          hint="A pass that is on a device cannot be downloaded, until you allow it for ten minutes."
        />
        <Check
          form={form}
          name="sharingProhibited"
          label="Hide the share button"
          hint="It is no protection: who has the link has the pass."
        />
        <Check form={form} name="hidePrintVersion" label="No print version" />
      </Group>
      <Mail
        form={form}
        path="sendoutOptions.passCreationNotification"
        title="E-mail on creation"
        text="Goes to the e-mail recipient of a new pass. Both empty: none."
      />
      <Mail
        form={form}
        path="sendoutOptions.adHoc"
        title="E-mail by hand"
        text="What is sent when you send a pass yourself. Both empty: passes cannot be sent."
      />
      <Group title="SMS on creation" text="Goes to the phone recipient of a new pass. Empty: none.">
        <Area
          form={form}
          name="sendoutOptions.sms.text"
          label="Text"
          hint="With placeholders; {downloadPage} is the link."
        />
      </Group>
    </Part>
  );
}

function Mail({ form, path, title, text }: { form: DesignerForm; path: string; title: string; text: string }) {
  return (
    <Group title={title} text={text}>
      <Text form={form} name={`${path}.subject`} label="Subject" />
      <Area
        form={form}
        name={`${path}.emailTemplate`}
        label="Text"
        rows={6}
        hint="Plain text or HTML, with placeholders; {downloadPage} is the link."
      />
    </Group>
  );
}

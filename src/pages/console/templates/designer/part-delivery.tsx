import { Area, Check, Group, Part, Text } from './controls.tsx';

/** How passes are delivered to their holders. */
export function DeliveryPart() {
  return (
    <Part name="delivery">
      <Group title="Wallets" text="Wallets to offer on the download page.">
        <Check name="walletApps.apple" label="Apple Wallet" />
        <Check name="walletApps.google" label="Google Wallet" />
      </Group>
      <Group title="Download">
        <Check name="downloadPinEnabled" label="Allow PINs" />
        <Check
          name="preventDownloadWhenActive"
          label="Block repeated downloads"
          hint="Blocks downloads once the pass is on a device, until you allow them again for ten minutes."
        />
        <Check
          name="sharingProhibited"
          label="Hide the share button"
          hint="This doesn’t protect the pass: anyone with the link can still open it."
        />
        <Check name="hidePrintVersion" label="Hide the print version" />
      </Group>
      <Mail
        path="sendoutOptions.passCreationNotification"
        title="E-mail on creation"
        text="Sent to the e-mail recipient of a new pass. Leave both fields empty to send no e-mail."
      />
      <Mail
        path="sendoutOptions.adHoc"
        title="Ad hoc e-mail"
        text="Sent when you send a single pass by e-mail. Leave both fields empty to turn this off."
      />
      <Group
        title="SMS on creation"
        text="Sent to the phone recipient of a new pass. Leave empty to send no text message."
      >
        <Area name="sendoutOptions.sms.text" label="Text" hint="Supports placeholders; {downloadPage} is the link." />
      </Group>
    </Part>
  );
}

function Mail({ path, title, text }: { path: string; title: string; text: string }) {
  return (
    <Group title={title} text={text}>
      <Text name={`${path}.subject`} label="Subject" />
      <Area
        name={`${path}.emailTemplate`}
        label="Text"
        rows={6}
        hint="Plain text or HTML, with placeholders; {downloadPage} is the link."
      />
    </Group>
  );
}

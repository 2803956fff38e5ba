import { Area, Check, Group, Part, Text } from './controls.tsx';

/** How passes are delivered to their holders. */
export function DeliveryPart() {
  return (
    <Part name="delivery">
      <Group title="Wallets" text="Wallets on the download page.">
        <Check name="walletApps.apple" label="Apple Wallet" />
        <Check name="walletApps.google" label="Google Wallet" />
      </Group>
      <Group title="Download">
        <Check name="downloadPinEnabled" label="Allow PINs" />
        <Check
          name="preventDownloadWhenActive"
          label="Block repeated downloads"
          hint="Blocks the download of a pass on a device until you open it for ten minutes."
        />
        <Check
          name="sharingProhibited"
          label="Hide the share button"
          hint="This is no protection: anyone with the link can open the pass."
        />
        <Check name="hidePrintVersion" label="Hide the print version" />
      </Group>
      <Mail
        path="sendoutOptions.passCreationNotification"
        title="E-mail on creation"
        text="Sent to the e-mail recipient of a new pass. Both empty: no e-mail."
      />
      <Mail
        path="sendoutOptions.adHoc"
        title="Ad hoc e-mail"
        text="Sent when you send a single pass. Both empty: no ad hoc e-mails."
      />
      <Group title="SMS on creation" text="Sent to the phone recipient of a new pass. Empty: no text message.">
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

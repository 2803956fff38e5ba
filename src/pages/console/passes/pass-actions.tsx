import type { Child } from 'hono/jsx';
import type { DefinedPass } from '../../../domain/passes/find-pass.ts';
import type { Pass } from '../../../domain/passes/table.ts';
import { namedOptions, SelectField, TextField } from '../fields.tsx';
import { ActionButton, LinkButton, Panel, SubmitButton } from '../parts.tsx';
import { textOf } from '../reply.tsx';
import { viewerHas } from '../viewer.ts';

/** One-click actions of a pass. */
export function PassButtons({ pass, base }: { pass: Pass; base: string }) {
  const [verb, title] = pass.voided ? ['unvoid', 'Restore'] : ['void', 'Void'];
  return (
    <>
      <LinkButton href={`${base}/edit`} title="Edit" look="small quiet" />
      <ActionButton action={`${base}/${verb}`} title={title!} />
      <LinkButton href={`${base}/delete`} title="Delete …" look="small quiet" />
    </>
  );
}

interface PassActionsProps {
  found: DefinedPass;
  base: string;
  targets: { id: string; name: string }[];
  /** Submitted values of a rejected form. */
  typed: Record<string, unknown>;
}

/** Actions with input: push, e-mail, download, change of template, bundle. */
export function PassActions({ found, base, targets, typed }: PassActionsProps) {
  const { pass, definition } = found;
  return (
    <Panel id="actions" title="Actions">
      <div class="pass-actions">
        {pass.numberOfActive > 0 ? (
          <Action action={`${base}/push`} button="Send push">
            <TextField
              name="text"
              label="Send push"
              required
              value={textOf(typed, 'text')}
              hint="Shown on the lock screen. Supports placeholders. Devices show at least 85 characters"
            />
          </Action>
        ) : (
          <Unavailable title="Send push">No device has the pass yet.</Unavailable>
        )}
        {viewerHas('personal_data') && <MailAction found={found} base={base} typed={typed} />}
        {definition.preventDownloadWhenActive && (
          <Action action={`${base}/enable-download`} button="Allow downloads">
            <TextField
              name="until"
              label="Allow downloads until"
              type="datetime-local"
              required={false}
              value={textOf(typed, 'until')}
              hint="The template blocks downloads while the pass is on a device. Leave empty to allow them for ten minutes"
            />
          </Action>
        )}
        {targets.length > 0 && viewerHas('personal_data') && (
          <Action action={`${base}/move`} button="Move pass">
            <SelectField
              name="target"
              label="Target template"
              required
              value={textOf(typed, 'target')}
              options={namedOptions(targets)}
            />
          </Action>
        )}
        {pass.bundleId === null ? (
          viewerHas('personal_data') && (
            <Action action={`${base}/join`} button="Add to bundle">
              <TextField name="bundleId" label="Bundle" required value={textOf(typed, 'bundleId')} />
            </Action>
          )
        ) : (
          <div>
            <p class="action-title">Bundle “{pass.bundleId}”</p>
            <ActionButton action={`${base}/leave`} title="Remove from bundle" />
          </div>
        )}
      </div>
    </Panel>
  );
}

/** Sends the pass to any address, so only members who can see its links can use it. */
function MailAction({ found: { pass, definition }, base, typed }: Omit<PassActionsProps, 'targets'>) {
  if (!definition.sendoutOptions.adHoc) {
    return (
      <Unavailable title="Send by e-mail">
        The template has no ad hoc e-mail. Add it in the designer, under Delivery.
      </Unavailable>
    );
  }
  return (
    <Action action={`${base}/mail`} button="Send e-mail">
      <TextField
        name="recipient"
        label="Send by e-mail to"
        type="email"
        required
        value={textOf(typed, 'recipient') || (pass.emailRecipient ?? '')}
      />
    </Action>
  );
}

function Action({ action, button, children }: { action: string; button: string; children: Child }) {
  return (
    <form method="post" action={action} class="action">
      {children}
      <SubmitButton title={button} look="small quiet" />
    </form>
  );
}

function Unavailable({ title, children }: { title: string; children: Child }) {
  return (
    <div>
      <p class="action-title">{title}</p>
      <p class="quiet">{children}</p>
    </div>
  );
}

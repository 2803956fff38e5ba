import type { Child } from 'hono/jsx';
import { describeIssue } from '../../domain/errors.ts';
import { FaultyFields } from './fields.tsx';
import { useViewer } from './viewer.ts';

/* What the pages of the console are made of. */

/** What a rule found wrong with a form, above it. */
export function Problems() {
  const { issues } = useViewer();
  if (issues.length === 0) return null;
  return (
    <div class="notice grave" role="alert">
      <p>Not saved:</p>
      <ul>
        {issues.map((issue) => (
          <li>{describeIssue(issue)}</li>
        ))}
      </ul>
    </div>
  );
}

export type Tone = 'good' | 'calm' | 'careful' | 'grave';

/** Something to know, in its own box. */
export function Notice({ tone, children }: { tone: Tone; children: Child }) {
  return (
    <div class={`notice ${tone}`} role={tone === 'grave' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** A state in a word. */
export function Badge({ tone, children }: { tone?: Tone; children: Child }) {
  return <span class={tone ? `badge ${tone}` : 'badge'}>{children}</span>;
}

/** Says what a member does not see, and why. */
export function PersonalDataHidden() {
  return (
    <p class="quiet">
      PINs, recipients, personal properties and links that open the pass are hidden. An owner can give you the privilege{' '}
      <code>personal_data</code>.
    </p>
  );
}

/** What stands in place of an empty list: what belongs here, and how to begin. */
export function EmptyState({ title, children, action }: { title: string; children?: Child; action?: Child }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <p class="quiet">{children}</p>}
      {action}
    </div>
  );
}

interface PanelProps {
  /** Also the id of its heading. */
  id: string;
  title: string;
  aside?: Child;
  children: Child;
}

/** A part of a page with a heading of its own. */
export function Panel({ id, title, aside, children }: PanelProps) {
  return (
    <section class="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** A fact with its name, within `<dl class="facts">`. `told` names the figure that a script keeps up to date. */
export function Fact({ title, value, told }: { title: string; value: Child; told?: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd data-told={told}>{value}</dd>
    </div>
  );
}

/** A button that sends one form with nothing to fill in. `label` says all where the title alone does not. */
export function ActionButton(props: {
  action: string;
  title: string;
  label?: string;
  tone?: 'grave' | 'quiet';
  fields?: Record<string, string>;
}) {
  const { action, title, label, tone = 'quiet', fields = {} } = props;
  return (
    <form class="inline" method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button class={`button small ${tone}`} type="submit" aria-label={label}>
        {title}
      </button>
    </form>
  );
}

/** How a button looks: its classes beside `button`. */
type ButtonLook = 'small' | 'quiet' | 'small quiet' | 'grave';

interface LinkButtonProps {
  href: string;
  title: string;
  look?: ButtonLook;
  /** Says all where the title alone does not. */
  label?: string;
}

/** A link that looks like a button. */
export function LinkButton({ href, title, look, label }: LinkButtonProps) {
  return (
    <a class={look ? `button ${look}` : 'button'} href={href} aria-label={label}>
      {title}
    </a>
  );
}

/** Sends the form around it. */
export function SubmitButton({ title, look }: { title: string; look?: ButtonLook }) {
  return (
    <button class={look ? `button ${look}` : 'button'} type="submit">
      {title}
    </button>
  );
}

interface FormActionsProps {
  /** What the form does. */
  button: string;
  /** Where to go without doing it. */
  back: string;
  tone?: 'grave';
  disabled?: boolean;
}

/** The end of a form: the button that sends it, and the way back. */
export function FormActions({ button, back, tone, disabled }: FormActionsProps) {
  return (
    <div class="actions">
      <button class={tone ? `button ${tone}` : 'button'} type="submit" disabled={disabled}>
        {button}
      </button>
      <a class="button quiet" href={back}>
        Cancel
      </a>
    </div>
  );
}

interface EntryFormProps extends Pick<FormActionsProps, 'button' | 'back'> {
  action: string;
  /** Classes of the form; a narrow panel unless given. */
  look?: string;
  enctype?: 'multipart/form-data';
  children: Child;
}

/** A form that enters something: what was wrong with it, its fields, and the way on or back. */
export function EntryForm({ action, look = 'panel stack', enctype, button, back, children }: EntryFormProps) {
  return (
    <>
      <Problems />
      <form class={look} method="post" action={action} enctype={enctype}>
        <FaultyFields>{children}</FaultyFields>
        <FormActions button={button} back={back} />
      </form>
    </>
  );
}

interface ConfirmProps {
  /** What will happen, in full. */
  children: Child;
  action: string;
  button: string;
  /** Where to go without doing it. */
  back: string;
  fields?: Record<string, string>;
}

/** Asks before something that cannot be undone. */
export function Confirm({ children, action, button, back, fields = {} }: ConfirmProps) {
  return (
    <form class="panel confirm" method="post" action={action}>
      <div>{children}</div>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <FormActions button={button} back={back} tone="grave" />
    </form>
  );
}

/** Links to the pages beside the present one of a list. */
export function Pager({ older, newer }: { older?: string; newer?: string }) {
  if (!older && !newer) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {newer ? <a href={newer}>← First page</a> : <span />}
      {older ? (
        <a href={older} rel="next">
          Next page →
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}

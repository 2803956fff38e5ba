import type { Card } from '../../domain/passes/card/card.ts';
import { cardColorsCss } from '../../pages/card/card-colors.ts';
import { drawCard } from '../../pages/card/draw-card.tsx';
import type { Choice } from './choices.ts';
import { NAME_CHARS_MAX, PASSES_MAX } from './demo-passes.ts';

/** A template that visitors can choose. */
export interface OfferedTemplate {
  templateName: string;
  label: string;
}

/** A pass as the demo shows it. */
export interface ShownPass {
  id: string;
  card: Card;
  choice: Choice;
  /** Value of the member that visitors can change. */
  value?: string;
  pageUrl: string;
  consoleUrl: string;
  barcodeUrl?: string | null;
  /** Newest first. `isAction`: a form adds such entries. */
  entries: { id: string; at: number; isAction: boolean; title: string; detail?: string | null }[];
}

interface DemoSectionProps {
  templates: OfferedTemplate[];
  shown?: ShownPass;
  /** Whether the URL names a pass that no longer exists. */
  isGone: boolean;
}

/**
 * The section to create a pass and watch what happens to it. Its script replaces the parts that the server re-renders.
 */
export function DemoSection({ templates, shown, isGone }: DemoSectionProps) {
  return (
    <section class="demo" id="demo" aria-labelledby="demo-title">
      <header class="section-head">
        <h2 id="demo-title">Try it now, on your machine</h2>
        <p>
          This service runs locally, so you need no key. Create a real pass in the demo account, change it, scan it, and
          watch what happens.
        </p>
      </header>
      <NewPassForm templates={templates} shown={shown} />
      <p class="demo-status" role="status" id="demo-status">
        {isGone && `That pass is gone: the demo keeps the last ${PASSES_MAX}.`}
      </p>
      {shown && <Shown shown={shown} />}
    </section>
  );
}

function NewPassForm({ templates, shown }: Pick<DemoSectionProps, 'templates' | 'shown'>) {
  const selected = shown?.choice.templateName ?? templates[0]?.templateName;
  return (
    <form class="demo-new" method="post" action={`${DEMO_PATH}/passes`}>
      <fieldset class="demo-templates">
        <legend>Template</legend>
        {templates.map(({ templateName, label }) => (
          <label class={templateName}>
            <input type="radio" name="template" value={templateName} checked={templateName === selected} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <label class="demo-field">
        <span>Name on the pass</span>
        <input name="name" required maxlength={NAME_CHARS_MAX} autocomplete="off" placeholder="Ada Lovelace" />
      </label>
      <button class="button" type="submit">
        Create pass
      </button>
    </form>
  );
}

function Shown({ shown }: { shown: ShownPass }) {
  const { id, card, choice, entries } = shown;
  return (
    <div class="demo-pass">
      <div class="demo-card" id="demo-card" data-colors={cardColorsCss(card)}>
        {drawCard(card, {
          language: 'en',
          face: 'front',
          imageUrl: ({ sha256 }) => `/images/${sha256}`,
          barcodeUrl: shown.barcodeUrl,
        })}
      </div>
      <div class="demo-side">
        <h3 id="demo-pass-title" tabindex={-1}>
          {choice.label}
        </h3>
        <p class="demo-links">
          <a href={shown.pageUrl} target="_blank" rel="noreferrer">
            Download page
          </a>
          <a href={shown.consoleUrl}>View in console</a>
        </p>
        <Actions shown={shown} path={`${DEMO_PATH}/passes/${id}`} />
        <p class="demo-hint">A scan uses up the pass, as at a door. Scan it twice, or restore it.</p>
        <h4 id="demo-feed-title">Timeline</h4>
        <ol class="demo-feed" id="demo-feed" aria-labelledby="demo-feed-title" tabindex={0}>
          {entries.map((entry) => (
            <li data-id={entry.id} data-action={entry.isAction ? '' : undefined}>
              <span>
                {entry.title}
                {entry.detail && <small> · {entry.detail}</small>}
              </span>
              <time datetime={new Date(entry.at).toISOString()}>{timeText(entry.at)}</time>
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

function Actions({ shown, path }: { shown: ShownPass; path: string }) {
  const { card, choice, value } = shown;
  return (
    <div class="demo-actions" id="demo-actions">
      {value !== undefined && (
        <form method="post" action={`${path}/change`}>
          <label class="demo-field">
            <span>{choice.change.label}</span>
            <input
              id="demo-value"
              name="value"
              value={value}
              required
              maxlength={40}
              inputmode={choice.change.inputMode}
              autocomplete="off"
            />
          </label>
          <button class="button quiet" type="submit" id="demo-change">
            Change
          </button>
        </form>
      )}
      <form method="post" action={`${path}/scan`}>
        <button class="button quiet" type="submit" id="demo-scan">
          Scan
        </button>
      </form>
      <form method="post" action={`${path}/${card.voided ? 'restore' : 'void'}`}>
        <button class="button quiet" type="submit" id="demo-void">
          {card.voided ? 'Restore' : 'Void'}
        </button>
      </form>
    </div>
  );
}

const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'UTC' });

const timeText = (at: number): string => `${TIME.format(at)} UTC`;

/** Path prefix of the demo's forms. */
export const DEMO_PATH = '/dev/demo';

import type { Issue } from '../../../domain/errors.ts';
import type { Card } from '../../../domain/passes/card/card.ts';
import type { DefinedPass } from '../../../domain/passes/find-pass.ts';
import type { Pass } from '../../../domain/passes/table.ts';
import type { TimelineEntry } from '../../../domain/timeline/timeline-queries.ts';
import { hasPrivilege } from '../../../domain/users/privileges.ts';
import { drawCard } from '../../card/draw-card.tsx';
import { clientFile } from '../../client-files.ts';
import { bundleHref } from '../bundles/bundle-pages.tsx';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { Panel, PersonalDataHidden, Problems } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';
import { PassState, passTitle } from './columns.tsx';
import { PassActions, PassButtons } from './pass-actions.tsx';
import { formFields } from './pass-form.ts';
import { SECTION } from './pass-list-page.tsx';
import { Timeline } from './timeline.tsx';

/** What a form of the page was refused for, and what was typed into it. */
export interface Refused {
  messages: Issue[];
  typed: Record<string, unknown>;
}

export interface PassPageProps {
  frame: Frame;
  found: DefinedPass;
  card: Card;
  /** What opens the pass; undefined for members who don't see personal data. */
  links?: PassLinks;
  /** Of `DrawOptions`. */
  barcodeUrl?: string | null;
  /** Templates where the pass can move. */
  targets: { id: string; name: string }[];
  timeline: { entries: TimelineEntry[]; next?: string; isFirst: boolean };
  refused?: Refused;
  styles: { nonce: string; css: string };
  now: number;
}

interface PassLinks {
  page: string;
  file: string;
  /** Null when Google Wallet has no way to it. */
  save: string | null;
  /** SVG of a QR code with the page's address. */
  pageQrSvg: string;
}

/** One pass: how it looks, how to reach it, what it holds, what has happened to it, and what can be done with it. */
export function PassPage(props: PassPageProps) {
  const { frame, found, card, links, refused, styles, now, timeline } = props;
  const { pass, definition } = found;
  const base = sectionPath(frame.account.id, SECTION, pass.id);
  const mayEdit = hasPrivilege(frame.privileges, 'passes.edit');
  return (
    <AccountLayout
      frame={frame}
      title={passTitle(pass)}
      section={SECTION}
      actions={mayEdit ? <PassButtons pass={pass} base={base} /> : undefined}
      styles={styles}
      scripts={[clientFile('console/passes.ts').path]}
    >
      <Problems messages={refused?.messages ?? []} />
      <div class="pass-columns">
        <div class="pass-look">
          {drawCard(card, {
            language: card.language,
            face: 'both',
            imageUrl: ({ sha256 }) => `/images/${sha256}`,
            barcodeUrl: props.barcodeUrl,
            now,
          })}
        </div>
        <div class="pass-facts">
          <Facts frame={frame} found={found} pushText={card.pushText} now={now} />
          {links ? (
            <Links links={links} rotateUrl={mayEdit ? `${base}/rotate-links` : undefined} />
          ) : (
            <PersonalDataHidden />
          )}
          <Panel id="values" title="Values" aside={mayEdit && <a href={`${base}/edit`}>Edit</a>}>
            <Values pass={pass} definition={definition} timezone={frame.account.timezone} />
          </Panel>
        </div>
      </div>
      {mayEdit && <PassActions found={found} base={base} targets={props.targets} typed={refused?.typed ?? {}} />}
      <Timeline {...timeline} base={base} timezone={frame.account.timezone} seesPersonalData={links !== undefined} />
    </AccountLayout>
  );
}

interface FactsProps {
  frame: Frame;
  found: DefinedPass;
  /** The last text that was sent to its holders. */
  pushText?: string;
  now: number;
}

function Facts({ frame, found: { pass, template }, pushText, now }: FactsProps) {
  const { timezone, id } = frame.account;
  return (
    <dl class="facts">
      <div>
        <dt>State</dt>
        <dd>
          <PassState pass={pass} now={now} />
        </dd>
      </div>
      <div>
        <dt>Template</dt>
        <dd>
          <a href={sectionPath(id, 'templates', pass.templateId)}>{template.name}</a>
        </dd>
      </div>
      <div>
        <dt>Devices</dt>
        <dd>
          {pass.numberOfActive === 0 ? 'Not on a device' : `On ${pass.numberOfActive}`}
          {pass.numberOfInactive > 0 && `, removed from ${pass.numberOfInactive}`}
        </dd>
      </div>
      {pass.bundleId !== null && (
        <div>
          <dt>Bundle</dt>
          <dd>
            <a href={bundleHref(id, pass.bundleId)}>{pass.bundleId}</a>
          </dd>
        </div>
      )}
      <div>
        <dt>Changed</dt>
        <dd>
          <Time at={pass.modifiedAt} timezone={timezone} />
        </dd>
      </div>
      {pushText !== undefined && (
        <div>
          <dt>Latest push</dt>
          <dd>{pushText}</dd>
        </div>
      )}
    </dl>
  );
}

interface LinksProps {
  links: PassLinks;
  /** Absent where the member may not rotate them. */
  rotateUrl?: string;
}

function Links({ links, rotateUrl }: LinksProps) {
  const all = [
    { title: 'Download page', url: links.page },
    { title: 'Pass file (.pkpass)', url: links.file },
    ...(links.save ? [{ title: 'Save to Google Wallet', url: links.save }] : []),
  ];
  return (
    <Panel id="links" title="Links" aside={rotateUrl && <a href={rotateUrl}>Rotate links …</a>}>
      <div class="pass-links">
        <ul>
          {all.map(({ title, url }, i) => (
            <li>
              <a href={url} id={`link-${i}`}>
                {title}
              </a>
              <button
                class="button small quiet"
                type="button"
                data-copies={`#link-${i}`}
                aria-label={`Copy: ${title}`}
                hidden
              >
                Copy
              </button>
            </li>
          ))}
        </ul>
        <img
          class="page-qr"
          src={`data:image/svg+xml,${encodeURIComponent(links.pageQrSvg)}`}
          alt="QR code of the download page"
          width="112"
          height="112"
        />
      </div>
    </Panel>
  );
}

interface ValuesProps {
  pass: Pass;
  definition: DefinedPass['definition'];
  timezone: string;
}

/** What the pass holds; empty fields are left out, its identifiers are not. */
function Values({ pass, definition, timezone }: ValuesProps) {
  const own = formFields(definition).map(({ label, kind, read }) => ({ label, text: read(pass, timezone), kind }));
  const filled = own
    .filter(({ text }) => text !== '')
    .map(({ label, text, kind }) => ({ label, text: kind === 'flag' ? (text === 'true' ? 'Yes' : 'No') : text }));
  const identifiers = [
    { label: 'Identifier', text: pass.id },
    { label: 'Readable identifier', text: pass.generatedId },
  ];
  return (
    <dl class="values">
      {[...filled, ...identifiers].map(({ label, text }) => (
        <div>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

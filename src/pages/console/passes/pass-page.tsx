import type { Card } from '../../../domain/passes/card/card.ts';
import type { DefinedPass } from '../../../domain/passes/find-pass.ts';
import type { Pass } from '../../../domain/passes/table.ts';
import { timeZoneOf } from '../../../domain/templates/time-zone.ts';
import type { TimelineEntry } from '../../../domain/timeline/timeline-entry.ts';
import type { Verdict } from '../../../domain/timeline/verdict.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { drawCard } from '../../card/draw-card.tsx';
import { bundleHref } from '../bundles/bundle-pages.tsx';
import { AccountLayout } from '../console-layout.tsx';
import { Fact, Panel, PersonalDataHidden, Problems } from '../parts.tsx';
import { LocalTime, Time } from '../time.tsx';
import { hrefTo, useViewer, viewerHas } from '../viewer.ts';
import { PassState, passTitle } from './columns.tsx';
import { PassActions, PassButtons } from './pass-actions.tsx';
import { type FormField, formFields } from './pass-form.ts';
import { SECTION } from './pass-list-page.tsx';
import { Timeline } from './timeline.tsx';

interface PassPageProps {
  found: DefinedPass;
  card: Card;
  /** Links that open the pass; undefined for members who can't see personal data. */
  links?: PassLinks;
  /** As in `DrawOptions`. */
  barcodeUrl?: string | null;
  /** Templates that the pass can move to. */
  targets: { id: string; name: string }[];
  timeline: { entries: TimelineEntry[]; next?: string; isFirst: boolean; verdicts: Verdict[] };
  /** Submitted values of a rejected form. */
  typed: Record<string, unknown>;
  css: string;
  now: number;
}

interface PassLinks {
  page: string;
  file: string;
  /** Null if the pass can't be saved in Google Wallet. */
  save: string | null;
  /** QR code of the page's address as SVG. */
  pageQrSvg: string;
}

/** One pass: its picture, links, values, timeline and actions. */
export function PassPage(props: PassPageProps) {
  const { found, card, links, css, now, timeline } = props;
  const { pass, definition } = found;
  const base = hrefTo(SECTION, pass.id);
  const mayEdit = viewerHas('passes.edit');
  return (
    <AccountLayout
      title={passTitle(pass)}
      section={SECTION}
      actions={mayEdit ? <PassButtons pass={pass} base={base} /> : undefined}
      css={css}
      scripts={[clientFile('console/passes.ts').path]}
    >
      <Problems />
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
          <Facts found={found} pushText={card.pushText} now={now} />
          {links ? (
            <Links links={links} rotateUrl={mayEdit ? `${base}/rotate-links` : undefined} />
          ) : (
            <PersonalDataHidden />
          )}
          <Panel id="values" title="Values" aside={mayEdit && <a href={`${base}/edit`}>Edit</a>}>
            <Values pass={pass} definition={definition} />
          </Panel>
        </div>
      </div>
      {mayEdit && <PassActions found={found} base={base} targets={props.targets} typed={props.typed} />}
      <Timeline
        {...timeline}
        pass={pass}
        labels={new Map(formFields(definition).map(({ key, label }) => [key, label]))}
        base={base}
        now={now}
        seesPersonalData={links !== undefined}
      />
    </AccountLayout>
  );
}

interface FactsProps {
  found: DefinedPass;
  /** The last push text. */
  pushText?: string;
  now: number;
}

function Facts({ found: { pass, template }, pushText, now }: FactsProps) {
  return (
    <dl class="facts">
      <Fact title="State" value={<PassState pass={pass} now={now} />} />
      <Fact title="Template" value={<a href={hrefTo('templates', pass.templateId)}>{template.name}</a>} />
      <Fact
        title="Devices"
        value={
          <>
            {pass.numberOfActive === 0 ? 'Not on a device' : `On ${pass.numberOfActive}`}
            {pass.numberOfInactive > 0 && `, removed from ${pass.numberOfInactive}`}
          </>
        }
      />
      {pass.bundleId !== null && (
        <Fact title="Bundle" value={<a href={bundleHref(useViewer().account.id, pass.bundleId)}>{pass.bundleId}</a>} />
      )}
      <Fact title="Changed" value={<Time at={pass.modifiedAt} />} />
      {pushText !== undefined && <Fact title="Latest push" value={pushText} />}
    </dl>
  );
}

interface LinksProps {
  links: PassLinks;
  /** Absent if the member can't rotate the links. */
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

function shownText(text: string, kind: FormField['kind']) {
  if (kind === 'flag') return text === 'true' ? 'Yes' : 'No';
  return kind === 'date' || kind === 'datetime' ? <LocalTime text={text} /> : text;
}

/** The values of the pass, without empty fields and identifiers. */
function Values({ pass, definition }: { pass: Pass; definition: DefinedPass['definition'] }) {
  const timezone = timeZoneOf(useViewer().account, definition);
  const own = formFields(definition).map(({ label, kind, read }) => ({ label, text: read(pass, timezone), kind }));
  const filled = own
    .filter(({ text }) => text !== '')
    .map(({ label, text, kind }) => ({ label, text: shownText(text, kind) }));
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

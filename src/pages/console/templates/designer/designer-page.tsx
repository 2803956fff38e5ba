import type { ImageRole } from '../../../../domain/images/stored-image.ts';
import type { Difference } from '../../../../domain/templates/differences.ts';
import { versionNumber } from '../../../../domain/versions.ts';
import { clientFile } from '../../../../platform/client-files.ts';
import { cardColorsCss } from '../../../card/card-colors.ts';
import { ActionButton, formatPassCount, LinkButton, Notice, Panel, SubmitButton } from '../../parts.tsx';
import { SECTIONS } from '../../sections.ts';
import { hrefTo, viewerHas } from '../../viewer.ts';
import { ChangeTable } from '../publish/change-table.tsx';
import { SECTION, TemplateLayout, TemplateState } from '../template-layout.tsx';
import { DESIGNER_FORM, type DesignerForm, faultCounts, PARTS, type PartName, partOf } from './designer-form.ts';
import { DesignerPart } from './designer-parts.tsx';
import type { Preview } from './draw-preview.ts';
import { FindingLists, type FindingsByName } from './findings.tsx';
import { pathName } from './path-names.ts';
import { PreviewPanel } from './preview-panel.tsx';

export interface DesignerPageProps {
  form: DesignerForm;
  preview: Preview;
  /** Absent if the definition is invalid. */
  findings?: FindingsByName;
  part: PartName;
  /** Version that the form's edits are based on. */
  base: number;
  /** The definition was just saved. */
  saved?: boolean;
  /** Images of the account that could not be fetched when the template was created. */
  omitted?: ImageRole[];
  /**
   * Someone else saved a version in the meantime. The form keeps the edits; these are the differences between the two.
   */
  conflict?: Difference[];
}

/** The designer: all parts of a template's definition, and a preview of its passes. */
export function DesignerPage(props: DesignerPageProps) {
  const { form, preview, part } = props;
  const { template } = form.opened;
  const path = hrefTo(SECTION, template.id);
  const locked = !viewerHas('templates.edit');
  return (
    <TemplateLayout
      template={template}
      current=""
      title={template.name}
      actions={<Actions template={template} path={path} />}
      css={cardColorsCss(preview.card, preview.drawn)}
      scripts={[clientFile('console/designer.ts').path]}
    >
      {locked && (
        <Notice tone="calm">You can view this template. To change it, you need the privilege templates.edit.</Notice>
      )}
      {props.omitted && props.omitted.length > 0 && (
        <Notice tone="careful">
          The template was created without the account’s {props.omitted.join(' and ')}: the image could not be fetched.
        </Notice>
      )}
      {props.conflict && <Conflict path={path} base={props.base} differs={props.conflict} />}
      <Wrong form={form} />
      <div class="designer">
        <form
          id={DESIGNER_FORM}
          class="designer-form"
          method="post"
          action={path}
          enctype="multipart/form-data"
          novalidate
          autocomplete="off"
          data-images={`${path}/images`}
        >
          {/* Receives Enter in a field. Otherwise, Enter would press the first list button. */}
          {!locked && (
            <button hidden type="submit">
              Save
            </button>
          )}
          <input type="hidden" name="version" value={String(props.base)} />
          <PartTabs form={form} part={part} />
          <fieldset class="parts" disabled={locked}>
            <legend class="visually-hidden">Definition</legend>
            {(Object.keys(PARTS) as PartName[]).map((name) => (
              <DesignerPart name={name} form={form} />
            ))}
          </fieldset>
          <SaveBar {...props} path={path} locked={locked} />
        </form>
        <PreviewPanel preview={preview} />
      </div>
      <template id="designer-findings">{props.findings && <FindingLists findings={props.findings} />}</template>
      <p class="visually-hidden" id="designer-said" role="status" />
      {!locked && (
        <p class="page-foot">
          <a href={`${path}/copy`}>Copy template</a>
          <a href={`${path}/export`}>Export template</a>
          <a href={`${path}/delete`}>Delete template</a>
        </p>
      )}
    </TemplateLayout>
  );
}

function Actions({ template, path }: { template: { id: string; passCount: number }; path: string }) {
  const hasPasses = SECTIONS.some(({ id }) => id === 'passes');
  const passes = formatPassCount(template.passCount);
  return (
    <>
      {hasPasses ? (
        <LinkButton href={`${hrefTo('passes')}?template=${template.id}`} title={passes} look="small quiet" />
      ) : (
        <span class="quiet">{passes}</span>
      )}
      {viewerHas('passes.edit') && <ActionButton action={`${path}/test-pass`} title="Create test pass" />}
    </>
  );
}

function Conflict({ path, base, differs }: { path: string; base: number; differs: Difference[] }) {
  return (
    <>
      <Notice tone="grave">
        <p>
          <strong>Someone else saved this template in the meantime.</strong> It is now version {versionNumber(base)}.
          Your changes are below and not saved yet.
        </p>
        <p>
          Save again to overwrite their version, or <a href={path}>discard your changes and open their version</a>.
        </p>
      </Notice>
      {differs.length > 0 && (
        <Panel id="differs" title="Differences">
          <ChangeTable changes={differs} before="Theirs" after="Yours" />
        </Panel>
      )}
    </>
  );
}

function Wrong({ form }: { form: DesignerForm }) {
  const { byName, others } = form.faults;
  const names = Object.entries(byName);
  if (names.length + others.length === 0) return null;
  return (
    <div class="notice grave" role="alert">
      <p>Not saved. Correct these fields:</p>
      <ul>
        {others.map((message) => (
          <li>{message}</li>
        ))}
        {names.map(([name, text]) => (
          <li>
            <a href={`#${name}`}>
              {PARTS[partOf(name)]}: {pathName(name.split('.'))}
            </a>{' '}
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}

function PartTabs({ form, part }: { form: DesignerForm; part: PartName }) {
  const counts = faultCounts(form.faults);
  return (
    <fieldset class="tabs">
      <legend class="visually-hidden">Parts of the template</legend>
      {Object.entries(PARTS).map(([name, title]) => (
        <label class="tab">
          <input class="choice-input" type="radio" name="part" value={name} checked={name === part} />
          <span class="tab-title">
            {title}
            <span class="tab-count" data-count={name}>
              {counts[name as PartName] && (
                <>
                  {counts[name as PartName]}
                  <span class="visually-hidden"> to correct</span>
                </>
              )}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function SaveBar({ form, saved, path, locked }: DesignerPageProps & { path: string; locked: boolean }) {
  return (
    <div class="save-bar">
      <SaveState form={form} saved={saved} path={path} />
      <div class="actions">
        <button class="button small quiet preview-open" type="button" popovertarget="preview">
          Preview
        </button>
        {!locked && <SubmitButton title="Save template" look="small" />}
      </div>
    </div>
  );
}

/** The state of the saved definition compared with the published one. The script replaces it. */
export function SaveState({ form, saved, path }: { form: DesignerForm; saved?: boolean; path: string }) {
  const { template, publication } = form.opened;
  const isDraft = template.publishedVersion < template.version;
  return (
    <p id="save-state">
      <TemplateState template={template} publicationAt={publication?.publicationAt} />
      <span class="quiet" role="status" id="save-said">
        {saved ? 'Saved' : `Version ${versionNumber(template.version)}`}
      </span>
      {isDraft && <a href={`${path}/publish`}>Review and publish</a>}
    </p>
  );
}

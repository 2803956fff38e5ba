import type { Child } from 'hono/jsx';
import { cardColorsCss } from '../../../card/card-colors.ts';
import type { AccountPageContext } from '../../console-env.ts';
import { pathTo, viewerOf } from '../../reply.tsx';
import { ViewerContext } from '../../viewer.ts';
import { SECTION } from '../template-layout.tsx';
import { type DesignerForm, faultCounts, type PartName } from './designer-form.ts';
import { SaveState } from './designer-page.tsx';
import { DesignerPart } from './designer-parts.tsx';
import { NO_FAULTS } from './draft.ts';
import type { Preview } from './draw-preview.ts';
import { FindingLists, type FindingsByName, WalletError } from './findings.tsx';
import { PreviewChoices, PreviewPicture } from './preview-panel.tsx';
import type { DesignerAnswer } from './protocol.ts';

/** Returns whether the designer's script asks, which replaces parts of the page. */
export const wantsJson = (c: AccountPageContext): boolean => c.req.header('Accept') === 'application/json';

interface Happened {
  /** The part to redraw. */
  part?: PartName;
  said?: string;
  /** The saved version. */
  saved?: number;
  conflict?: boolean;
  findings?: FindingsByName;
}

/** Returns the parts of the page that a change affects, drawn by the same code as the page. */
export async function designerReply(
  c: AccountPageContext,
  form: DesignerForm,
  preview: Preview,
  { part, said, saved, conflict = false, findings }: Happened,
  status: 200 | 400 | 409 = 200,
): Promise<Response> {
  const path = pathTo(c, SECTION, form.opened.template.id);
  const byName = { ...preview.faults, ...form.faults.byName };
  const draw = (content: Child) =>
    String(<ViewerContext.Provider value={viewerOf(c)}>{content}</ViewerContext.Provider>);
  const answer: DesignerAnswer = {
    picture: draw(<PreviewPicture preview={preview} />),
    choices: draw(<PreviewChoices preview={preview} />),
    css: cardColorsCss(preview.card, preview.drawn),
    faults: byName,
    errors: Object.fromEntries(
      Object.entries(form.faults.byName).map(([name, text]) => [name, draw(<WalletError name={name} text={text} />)]),
    ),
    findings: findings ? draw(<FindingLists findings={findings} />) : '',
    others: form.faults.others,
    counts: faultCounts({ byName, others: [] }),
    part: part && {
      name: part,
      html: draw(<DesignerPart name={part} form={{ ...form, faults: NO_FAULTS }} />),
    },
    state: saved === undefined ? undefined : draw(<SaveState form={form} path={path} saved />),
    said,
    saved,
    conflict,
  };
  return c.json(answer, status);
}

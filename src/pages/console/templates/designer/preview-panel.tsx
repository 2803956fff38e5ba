import { languageName } from '../../../language.ts';
import { Options, optionsOf } from '../../fields.tsx';
import { DESIGNER_FORM } from './designer-form.ts';
import type { Preview } from './draw-preview.ts';

/** The drawn pass in a phone's frame. The script replaces it while the form is edited. */
export function PreviewPicture({ preview }: { preview: Preview }) {
  const { drawn, scheme, picture } = preview;
  const isGoogle = drawn === 'google';
  return (
    <div class={`phone ${scheme} ${isGoogle ? 'android' : 'iphone'}`} id="preview-picture">
      <div class="phone-bar" aria-hidden="true">
        <span>9:41</span>
        <span class="phone-island" />
        <span>100%</span>
      </div>
      <div class="phone-tools" aria-hidden="true">
        <span>{isGoogle ? '←' : '✕'}</span>
        <span>{isGoogle ? '⋮' : '•••'}</span>
      </div>
      <div class="phone-screen">{picture}</div>
    </div>
  );
}

/** The controls of the preview. The script replaces them when the choices change. */
export function PreviewChoices({ preview }: { preview: Preview }) {
  const { card, languages, looks, unshown } = preview;
  const shown = [card.language, ...languages.filter((code) => code !== card.language)];
  return (
    <div class="preview-choices" id="preview-choices">
      <Segments name="look" legend="Wallet" value={preview.look} options={looks} />
      <Segments name="face" legend="Side" value={preview.face} options={{ front: 'Front', back: 'Details' }} />
      <Segments name="scheme" legend="Phone" value={preview.scheme} options={{ light: 'Light', dark: 'Dark' }} />
      <Choice
        name="language"
        label="Language"
        value={preview.language}
        options={Object.fromEntries(shown.map((code, i) => [i === 0 ? '' : code, languageName(code)]))}
      />
      {unshown.map(({ title, reasons }) => (
        <div class="preview-unshown">
          <p>{title} can’t be shown. Devices show the classic pass because:</p>
          <ul>
            {reasons.map((reason) => (
              <li>{reason}.</li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

/** The preview with its controls. They belong to the designer's form, but are placed beside it. */
export function PreviewPanel({ preview }: { preview: Preview }) {
  return (
    <aside class="preview" id="preview" popover="auto" aria-labelledby="preview-title">
      <header>
        <h2 id="preview-title">Preview</h2>
        <button class="button small quiet preview-close" type="button" popovertarget="preview">
          Close
        </button>
      </header>
      <PreviewChoices preview={preview} />
      <PreviewPicture preview={preview} />
      <div class="preview-more">
        <Choice name="state" label="State" value={preview.state} options={STATES} />
        <div class="field wide">
          <label for="preview.pass">Pass values</label>
          <input
            id="preview.pass"
            name="preview.pass"
            form={DESIGNER_FORM}
            value={preview.pass}
            placeholder="Sample values"
            autocomplete="off"
            aria-describedby={preview.faults['preview.pass'] ? 'preview.pass-error' : undefined}
            aria-invalid={preview.faults['preview.pass'] ? 'true' : undefined}
          />
          {preview.faults['preview.pass'] && (
            <p class="field-error" id="preview.pass-error">
              {preview.faults['preview.pass']}
            </p>
          )}
        </div>
        <button class="button small quiet preview-update" type="submit" form={DESIGNER_FORM} name="do" value="preview">
          Update preview
        </button>
      </div>
    </aside>
  );
}

const STATES = { ok: 'Valid', voided: 'Voided', expired: 'Expired' };

function Segments(props: { name: string; legend: string; value: string; options: Record<string, string> }) {
  const { name, legend, value, options } = props;
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{legend}</legend>
      {Object.entries(options).map(([option, title]) => (
        <label class="segment">
          <input
            class="choice-input"
            type="radio"
            name={`preview.${name}`}
            form={DESIGNER_FORM}
            value={option}
            checked={option === value}
          />
          <span class="segment-title">{title}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Choice(props: { name: string; label: string; value: string; options: Record<string, string> }) {
  const { name, label, value, options } = props;
  return (
    <div class="field">
      <label for={`preview.${name}`}>{label}</label>
      <select id={`preview.${name}`} name={`preview.${name}`} form={DESIGNER_FORM}>
        <Options options={optionsOf(options)} value={value} />
      </select>
    </div>
  );
}

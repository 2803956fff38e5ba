import { FIELD_LISTS } from '../../../../domain/templates/list-names.ts';
import { AddButton, Check, Group, ItemButtons, Part, Text, useForm } from './controls.tsx';
import { type FormTree, itemsAt, itemsOf, textAt } from './form-tree.ts';

/** Translations of the card's texts. */
export function LanguagesPart() {
  const form = useForm();
  const languages = itemsAt(form.tree, 'translations');
  const texts = textsOf(form.tree);
  return (
    <Part name="languages">
      <Group title="Translations" text="Phones show the pass in their language if there is a translation.">
        <Check name="translationsEnabled" label="Use translations" />
        {languages.map((language, at) => (
          <Language language={language} texts={texts} at={at} count={languages.length} />
        ))}
        <AddButton list="translations" title="Add language" />
      </Group>
    </Part>
  );
}

interface LanguageProps {
  language: FormTree;
  /** Texts to translate. */
  texts: string[];
  at: number;
  count: number;
}

function Language({ language, texts, at, count }: LanguageProps) {
  const path = `translations.${at}`;
  const code = textAt(language, 'language');
  const { texts: branch } = language;
  const known = new Map(
    (typeof branch === 'object' ? itemsOf(branch) : []).map((pair) => [
      textAt(pair, 'text'),
      textAt(pair, 'translation'),
    ]),
  );
  // The translation of a removed text stays until it is cleared.
  const stale = [...known].filter(([text, translation]) => translation !== '' && !texts.includes(text));
  const rows = [...texts, ...stale.map(([text]) => text)];
  const missing = texts.filter((text) => !known.get(text)).length;
  return (
    <div class="item" data-uid={`language${code || at}`}>
      <div class="item-row">
        <Text
          name={`${path}.language`}
          label="Language"
          hint={`A code such as de or pt-BR. ${missing === 0 ? 'All texts are translated.' : `${missing} of ${texts.length} texts are not translated.`}`}
          more={{ autocomplete: 'off', spellcheck: 'false', maxlength: 35 }}
        />
        <ItemButtons list="translations" at={at} count={count} title={code || `Language ${at + 1}`} ordered={false} />
      </div>
      <table class="translations">
        <thead>
          <tr>
            <th scope="col">Text</th>
            <th scope="col">Translation</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((text, row) => (
            <tr>
              <th scope="row">{text}</th>
              <td>
                <input type="hidden" name={`${path}.texts.${row}.text`} value={text} />
                <input
                  class="translation"
                  name={`${path}.texts.${row}.translation`}
                  value={known.get(text) ?? ''}
                  lang={code || undefined}
                  aria-label={`${text}, in ${code || 'the language'}`}
                  autocomplete="off"
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Members of a field that contain visible texts. */
const FIELD_TEXTS = ['label', 'value', 'voidedLabel', 'voidedValue', 'changeMessage'];

/** Returns the distinct texts to translate. Texts with only placeholders and symbols need no translation. */
function textsOf(tree: FormTree): string[] {
  const fields = FIELD_LISTS.flatMap((list) => itemsAt(tree, `fields.${list}`));
  const texts = [
    textAt(tree, 'description'),
    textAt(tree, 'logoText'),
    ...fields.flatMap((field) => FIELD_TEXTS.map((name) => textAt(field, name))),
    textAt(tree, 'barcode.alternativeText'),
    ...itemsAt(tree, 'links').map((link) => textAt(link, 'label')),
  ];
  return [...new Set(texts)].filter((text) => /\p{Letter}/u.test(text.replaceAll(/\{[^{}]*\}/g, '')));
}

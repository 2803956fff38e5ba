import { type CompletedOption, type Place, quoted } from './model.ts';

/** Returns a script for zsh, to be sourced after `compinit`. */
export function zshCompletion(places: readonly Place[]): string {
  return `#compdef pass-wallet
# Completion of pass-wallet for zsh. Made by: pass-wallet completion zsh
_pass_wallet() {
  local first=\${1:-2} path_='' i word before
  local -a found
  for ((i = first; i < CURRENT; i++)); do
    word=$words[i] before=$words[i-1]
    case "$path_|$before" in
      (${valuePatterns(places).join(' | ')}) continue ;;
    esac
    case "$path_ $word" in
      (${places
        .filter(({ path }) => path !== '')
        .map(({ path }) => quoted(` ${path}`))
        .join(' | ')}) path_="$path_ $word" ;;
    esac
  done
  case "$path_|$words[CURRENT-1]" in
${places.flatMap((place) => place.options.map((option) => valueArm(place, option))).join('')}  esac
  case "$path_" in
${places.map(wordArm).join('')}  esac
}
_pass_wallet_npx() {
  if [[ $words[2] == pass-wallet && CURRENT -gt 2 ]]; then _pass_wallet 3; else _default; fi
}
compdef _pass_wallet pass-wallet
(( $+_comps[npx] )) || compdef _pass_wallet_npx npx
`;
}

const spaced = (path: string) => (path === '' ? '' : ` ${path}`);

/** A word with its description for _describe, which splits at the first colon. */
const described = (word: string, help: string) => quoted(`${word.replaceAll(':', '\\:')}${help ? `:${help}` : ''}`);

const valuePatterns = (places: readonly Place[]) =>
  places.flatMap(({ path, options }) =>
    options.flatMap(({ takesValue, names }) =>
      takesValue ? names.map((name) => quoted(`${spaced(path)}|${name}`)) : [],
    ),
  );

function valueArm({ path }: Place, { names, takesValue, choices, path: kind }: CompletedOption): string {
  if (!takesValue) return '';
  const pattern = names.map((name) => quoted(`${spaced(path)}|${name}`)).join(' | ');
  const list = choices.length > 0 ? `compadd -- ${choices.map(quoted).join(' ')};` : '';
  const action = kind === 'folder' ? '_files -/;' : kind === 'file' ? '_files;' : list;
  return `    (${pattern}) ${action} return ;;\n`;
}

function wordArm({ path, words, options }: Place): string {
  const all = options.flatMap(({ names, help }) => names.map((name) => described(name, help)));
  const describeOptions = `found=(${all.join(' ')}); _describe -o option found`;
  const listed = words.map(([word, help]) => described(word, help)).join(' ');
  const action =
    words.length === 0
      ? describeOptions
      : `if [[ $PREFIX == -* ]]; then ${describeOptions}; else found=(${listed}); _describe command found; fi`;
  return `    (${quoted(spaced(path))}) ${action} ;;\n`;
}

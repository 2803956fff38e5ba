import { type CompletedOption, type Place, quoted } from './model.ts';

/** Returns a script for bash 3.2 (the macOS version) or later. It needs no completion package. */
export function bashCompletion(places: readonly Place[]): string {
  return `# Completion of pass-wallet for bash. Made by: pass-wallet completion bash
_pass_wallet() {
  local first=$1 path='' i word before
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  # The shell takes --option=value for three words.
  [[ $current == '=' ]] && current=''
  [[ $previous == '=' ]] && previous=\${COMP_WORDS[COMP_CWORD - 2]}
  for ((i = first; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]} before=\${COMP_WORDS[i - 1]}
    case "$path|$before" in
${arms(places.map((place) => [place, valueOptions(place)]))}      continue ;;
    esac
    case "$path $word" in
      ${places
        .filter(({ path }) => path !== '')
        .map(({ path }) => quoted(` ${path}`))
        .join(' | ')}) path="$path $word" ;;
    esac
  done
  COMPREPLY=()
  case "$path|$previous" in
${places.flatMap((place) => place.options.map((option) => valueArm(place, option))).join('')}  esac
  local words=''
  case "$path" in
${places.map(wordArm).join('')}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
_pass_wallet_command() { _pass_wallet 1; }
_pass_wallet_npx() { [[ \${COMP_WORDS[1]} == pass-wallet && COMP_CWORD -gt 1 ]] && _pass_wallet 2; }
complete -o bashdefault -F _pass_wallet_command pass-wallet
# npx itself has no completion, unless somebody has added one.
complete -p npx > /dev/null 2>&1 || complete -o bashdefault -o default -F _pass_wallet_npx npx
`;
}

const spaced = (path: string) => (path === '' ? '' : ` ${path}`);

const valueOptions = ({ options }: Place) => options.flatMap(({ takesValue, names }) => (takesValue ? names : []));

/** Returns patterns for options that take a value, so that the value isn't mistaken for a command. */
function arms(rows: [Place, string[]][]): string {
  const patterns = rows.flatMap(([{ path }, names]) => names.map((name) => quoted(`${spaced(path)}|${name}`)));
  return patterns.map((pattern, i) => `      ${pattern}${i < patterns.length - 1 ? ' | \\\n' : ')\n'}`).join('');
}

function valueArm({ path }: Place, { names, takesValue, choices, path: kind }: CompletedOption): string {
  if (!takesValue) return '';
  const pattern = names.map((name) => quoted(`${spaced(path)}|${name}`)).join(' | ');
  const flags = kind === 'folder' ? '-d' : kind === 'file' ? '-f' : `-W ${quoted(choices.join(' '))}`;
  const files = kind ? ' compopt -o filenames 2> /dev/null;' : '';
  const list = kind || choices.length > 0 ? ` COMPREPLY=($(compgen ${flags} -- "$current"));` : '';
  return `    ${pattern})${files}${list} return ;;\n`;
}

function wordArm({ path, words, options }: Place): string {
  const names = options.flatMap((option) => option.names);
  const [commands, all] = [words.map(([word]) => word).join(' '), names.join(' ')];
  const list = commands === '' ? quoted(all) : commands;
  if (commands === '') return `    ${quoted(spaced(path))}) words=${list} ;;\n`;
  return `    ${quoted(spaced(path))}) words=${quoted(commands)}; [[ $current == -* ]] && words=${quoted(all)} ;;\n`;
}

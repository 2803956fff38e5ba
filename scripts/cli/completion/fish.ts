import { type CompletedOption, type Place, quoted } from './model.ts';

/** Returns a script for fish, which reads it from `~/.config/fish/conf.d/`. */
export function fishCompletion(places: readonly Place[]): string {
  const lines = places.flatMap((place) => [
    ...place.words.map(([word, help]) => line(place, `-f -a ${quoted(word)}`, help)),
    ...place.options.map((option) => line(place, optionFlags(option), option.help)),
  ]);
  return `# Completion of pass-wallet for fish. Made by: pass-wallet completion fish
# The commands that were typed so far, without options and their values.
function __pass_wallet_path
  set -l values ${[...new Set(places.flatMap(({ options }) => options.flatMap(namesWithValue)))].join(' ')}
  set -l paths ${places
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join(' ')}
  set -l words (commandline -opc)
  set -l path ''
  set -l before ''
  test "$words[1]" = npx; and set -e words[1]
  for word in $words[2..-1]
    set -l next (string trim -- "$path $word")
    if not contains -- "$before" $values; and contains -- "$next" $paths
      set path "$next"
    end
    set before "$word"
  end
  echo -- "$path"
end
function __pass_wallet_at
  set -l words (commandline -opc)
  if test "$words[1]" = npx; and test "$words[2]" != pass-wallet
    return 1
  end
  test (__pass_wallet_path) = "$argv[1]"
end
for program in pass-wallet npx
  complete -c $program -f -n '__pass_wallet_at "admin"'
${lines.map((one) => `  ${one}`).join('\n')}
end
`;
}

const namesWithValue = ({ takesValue, names }: CompletedOption) => (takesValue ? names : []);

function line({ path }: Place, flags: string, help: string): string {
  return `complete -c $program -n ${quoted(`__pass_wallet_at "${path}"`)} ${flags}${help ? ` -d ${quoted(help)}` : ''}`;
}

function optionFlags({ names, takesValue, choices, path }: CompletedOption): string {
  const [long = '', short] = names;
  const name = `-l ${long.slice(2)}${short ? ` -s ${short.slice(1)}` : ''}`;
  if (!takesValue) return `-f ${name}`;
  if (path === 'folder') return `-x ${name} -a '(__fish_complete_directories)'`;
  if (path === 'file') return `-rF ${name}`;
  return `-x ${name}${choices.length > 0 ? ` -a ${quoted(choices.join(' '))}` : ''}`;
}

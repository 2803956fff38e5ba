import { COMMON, type Command } from '../command.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const COMPLETION = {
  summary: 'Prints the completion for a shell',
  about: 'It completes commands, options and their values, for "pass-wallet" and for "npx pass-wallet".',
  argument: { shown: '<shell>', help: `shell: ${SHELLS.join(', ')}`, choices: SHELLS, isRequired: true },
  options: COMMON,
  examples: [
    ['bash > ~/.pass-wallet.bash', 'then add to ~/.bashrc: source ~/.pass-wallet.bash'],
    ['zsh > ~/.pass-wallet.zsh', 'then add to ~/.zshrc, after compinit: source ~/.pass-wallet.zsh'],
    ['fish > ~/.config/fish/conf.d/pass-wallet.fish', 'fish reads it automatically'],
  ],
  output: { document: { shell: 'name of the shell', script: 'the script' } },
} as const satisfies Command;

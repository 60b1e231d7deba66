/** Verb `completion`: prints a script that completes verbs and options in bash, zsh or fish. */

import { WrongUsage } from '../errors.ts'
import type { Verb } from './verb.ts'

/** Options of every verb, which the program adds. */
const commonOptions = '--server --key-file --json --data --env-file --quiet --no-color --yes --help'

/** Makes the verb from the table of all verbs. */
export const completionVerb = (verbs: () => readonly Verb[]): Verb => ({
  name: 'completion',
  words: '<shell>',
  summary: 'prints the completion for bash, zsh or fish',
  example: 'completion bash > ~/.local/share/bash-completion/completions/cartulary',
  run: async ({ words: [shell = ''], print }) => {
    const script = scripts[shell]
    if (!script) throw new WrongUsage(`${shell}: it is ${Object.keys(scripts).join(', ')}`)
    await print(script(candidatesOf(verbs())))
  },
})

/** Words that may follow words of a command line; `isEnd` where only options follow. */
type Candidates = { readonly after: string; readonly words: string; readonly isEnd: boolean }

/** Candidates after each beginning of a verb, longer beginnings first. */
function candidatesOf(verbs: readonly Verb[]): readonly Candidates[] {
  const groups = new Map<string, Set<string>>([['', new Set()]])
  for (const { name } of verbs) {
    const [first = '', second] = name.split(' ')
    groups.get('')?.add(first)
    if (second !== undefined) groups.set(first, (groups.get(first) ?? new Set()).add(second))
  }
  const ends = verbs.map(({ name, options = [] }) => ({
    after: name,
    words: [...options.map(([flags]) => /--[\w-]+/.exec(flags)?.[0] ?? ''), commonOptions].join(
      ' ',
    ),
    isEnd: true,
  }))
  const beginnings = [...groups].map(([after, words]) => ({
    after,
    words: [...words].join(' '),
    isEnd: false,
  }))
  return [...ends, ...beginnings].toSorted((a, b) => b.after.length - a.after.length)
}

const cases = (candidates: readonly Candidates[]): string =>
  candidates
    .map(({ after, words, isEnd }) => `    "${after}"${isEnd ? '*' : ''}) found="${words}" ;;`)
    .join('\n')

const scripts: Readonly<Record<string, (candidates: readonly Candidates[]) => string>> = {
  bash: (candidates) => `_cartulary() {
  local line="" found="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || line="\${line:+$line }$word"
  done
  case "$line" in
${cases(candidates)}
  esac
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _cartulary cartulary
`,
  zsh: (candidates) => `#compdef cartulary
_cartulary() {
  local line="" found="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] || line="\${line:+$line }$word"
  done
  case "$line" in
${cases(candidates)}
  esac
  compadd -- \${=found}
  [[ $found == --* ]] && _files
}
if [[ $funcstack[1] == _cartulary ]]; then _cartulary; else compdef _cartulary cartulary; fi
`,
  fish: (candidates) => {
    const line = ({ after, words, isEnd }: Candidates) => {
      const seen = after.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
      const others = `not __fish_seen_subcommand_from ${words}`
      const conditions = isEnd ? seen : after === '' ? [others] : [...seen, others]
      const command = `complete -c cartulary -n "${conditions.join('; and ')}"`
      if (!isEnd) return [`${command} -f -a "${words}"`]
      return words.split(' ').map((option) => `${command} -l ${option.slice(2)}`)
    }
    return `${candidates.flatMap(line).join('\n')}\n`
  },
}

/** Verbs that work on the files of a data directory: backup, verify and restore while the platform runs or not, rebase and migrate while it does not. */

import type { Source } from '../backup/backup.ts'
import { bytesOf, type Manifest } from '../backup/manifest.ts'
import { WrongUsage } from '../errors.ts'
import { dataDirectory, exitCodes, type Verb } from './verb.ts'

// Modules of a verb are imported when it runs.

/** Facts of a backup in a line: `2026-11-30T02:00:00.000Z, 12 files, 31.5 MB, graphs 40, datasets 20; without index, api-key`. */
function summaryOf(manifest: Manifest): string {
  const { created, files, counts, without } = manifest
  const megabytes = (bytesOf(manifest) / 1e6).toFixed(1)
  const numbers = Object.entries(counts).map(([name, number]) => `${name} ${number}`)
  return `${[created, `${files.length} files`, `${megabytes} MB`, ...numbers].join(', ')}; without ${without.join(', ')}\n`
}

/** Number of an option. Throws `WrongUsage`. */
function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,5}$/.test(text)) return text ? Number(text) : undefined
  throw new WrongUsage(`--${name} ${text}: a whole number from 1`)
}

/** Runs `work` with the data directory; the settings are read for an address in a bucket only. */
async function withSource<T>(address: string, work: (source: Source) => Promise<T>): Promise<T> {
  const { backupSource, withConfiguredBuckets } = await import('../main/backup-source.ts')
  const { version } = await import('../main/platform-context.ts')
  if (!address.startsWith('s3://')) return work(backupSource(dataDirectory(), version))
  return withConfiguredBuckets(process.env, (openBucket) =>
    work(backupSource(dataDirectory(), version, openBucket)),
  )
}

const backupVerb: Verb = {
  name: 'backup',
  words: '<target>',
  summary: 'writes a backup of the data directory, also of a running platform, and verifies it',
  example: 'backup /backups/2026-11-30.tar.zst --keep 14',
  options: [
    ['--keep <number>', 'removes all but the newest ones beside it, when it is done'],
    ['--with-key', 'with the generated API key'],
    ['--no-history', 'without runs, the history of figures and checks of links'],
  ],
  run: async ({ words: [target = ''], flag, text, isJson, signal, print, progress }) => {
    const { backUp } = await import('../backup/backup.ts')
    const manifest = await withSource(target, (source) =>
      backUp(source, {
        target,
        keep: wholeNumber('keep', text('keep')),
        withKey: flag('with-key'),
        withoutHistory: !flag('history'),
        progress: (share, file) =>
          progress.show({ what: file, done: Math.round(share * 100), total: 100 }),
        signal,
      }),
    ).finally(progress.clear)
    await print(isJson ? `${JSON.stringify(manifest)}\n` : summaryOf(manifest))
  },
}

const verifyVerb: Verb = {
  name: 'verify',
  words: '<backup>',
  summary: 'compares every file of a backup with its manifest, and names those that are damaged',
  example: 'verify /backups/2026-11-30.tar.zst',
  run: async ({ words: [path = ''], isJson, signal, print }) => {
    const { BackupFault } = await import('../backup/backup-fault.ts')
    const { verifyBackup } = await import('../backup/verify.ts')
    try {
      const manifest = await withSource(path, (source) => verifyBackup(source, path, signal))
      await print(isJson ? `${JSON.stringify(manifest)}\n` : summaryOf(manifest))
    } catch (error) {
      if (!(error instanceof BackupFault)) throw error
      process.stderr.write(
        isJson ? `${JSON.stringify({ error: error.message })}\n` : `${error.message}\n`,
      )
      return exitCodes.problemsFound
    }
    return exitCodes.done
  },
}

const restoreVerb: Verb = {
  name: 'restore',
  words: '<backup>',
  summary: 'writes a verified backup into an empty data directory',
  example: 'restore /backups/2026-11-30.tar.zst --data /var/lib/cartulary',
  options: [['--force', 'moves data that are there aside, to {directory}.before-{time}']],
  run: async ({ words: [path = ''], flag, isJson, signal, print }) => {
    const { restoreBackup } = await import('../backup/restore.ts')
    const { isInUse } = await import('../main/backup-source.ts')
    const options = { directory: dataDirectory(), force: flag('force'), isInUse, signal }
    const manifest = await withSource(path, (source) => restoreBackup(source, path, options))
    await print(isJson ? `${JSON.stringify(manifest)}\n` : summaryOf(manifest))
  },
}

const rebaseVerb: Verb = {
  name: 'rebase',
  summary: 'writes a data directory, or a file of N-Quads, anew under another base of its IRIs',
  example: 'rebase --from http://localhost:8080/ --to https://data.example.org/ --dry-run',
  options: [
    ['--from <base>', 'the base of the IRIs as they are'],
    ['--to <base>', 'the base that takes its place'],
    ['--dry-run', 'only counts'],
    ['--input <file>', 'a file of N-Quads in place of the data directory, with --output'],
    ['--output <file>', 'new file for the N-Quads'],
  ],
  run: async ({ flag, text, isJson, signal, print, progress }) => {
    const { basesOf, rebaseDirectory, rebaseNQuads } = await import('../main/rebase.ts')
    const bases = basesOf(text('from'), text('to'))
    const [input, output, isDry] = [text('input'), text('output'), flag('dry-run')]
    if ((input === undefined) !== (output === undefined) || (input !== undefined && isDry))
      throw new WrongUsage('--input and --output belong together, and not to --dry-run')
    const show = (what: string, done: number, total: number) => progress.show({ what, done, total })
    const work =
      input === undefined || output === undefined
        ? rebaseDirectory({ ...bases, directory: dataDirectory(), isDry, progress: show, signal })
        : rebaseNQuads({ ...bases, input, output, signal })
    const result = await work.finally(progress.clear)
    const counts = Object.entries(result.counts).map(([name, number]) => `${name} ${number}`)
    const former = 'former' in result ? `; the data as they were are in ${result.former}` : ''
    const line = `${isDry ? 'would change: ' : ''}${counts.join(', ')}${former}\n`
    await print(isJson ? `${JSON.stringify(result)}\n` : line)
  },
}

const migrateVerb: Verb = {
  name: 'migrate',
  summary: 'brings the files of a data directory to the formats of this version, as a start does',
  example: 'migrate --check --data /var/lib/cartulary',
  options: [['--check', 'only says what would happen']],
  run: async ({ flag, isJson, print }) => {
    const { migrateData } = await import('../main/migrate.ts')
    const isCheck = flag('check')
    const steps = await migrateData({ directory: dataDirectory(), isCheck })
    const verb = isCheck ? 'would become' : 'became'
    const lines = steps.map(({ file, from, to, copy }) => {
      const kept = copy === undefined ? '' : `, after a copy to ${copy}`
      return `${file}: format ${from} ${verb} ${to}${kept}`
    })
    const said = lines.length > 0 ? lines : ['every file has the format of this version']
    await print(isJson ? `${JSON.stringify(steps)}\n` : `${said.join('\n')}\n`)
  },
}

/** Verbs of data directories and backups, in the order of the help. */
export const dataVerbs: readonly Verb[] = [
  backupVerb,
  verifyVerb,
  restoreVerb,
  rebaseVerb,
  migrateVerb,
]

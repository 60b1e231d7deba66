/** Schemathesis, which asks a service whatever its OpenAPI document allows: got from PyPI into an environment of its own. */

import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cache, Missing } from './engine.ts'

const version = '4.32.5'

/** What a run found, as it says it to people. */
export type Verdict = { readonly holds: boolean; readonly output: string }

/** Where the program is; throws `Missing` when it cannot be had. */
function program(): string {
  const place = join(cache(), `schemathesis-${version}`)
  const file = join(place, 'bin', 'st')
  // Such an environment names its own place, so it cannot be moved there when it is whole.
  const whole = join(place, 'whole')
  if (existsSync(whole)) return file
  rmSync(place, { recursive: true, force: true })
  mkdirSync(cache(), { recursive: true })
  try {
    execFileSync('python3', ['-m', 'venv', place], { stdio: 'pipe' })
    execFileSync(join(place, 'bin', 'pip'), ['install', '-q', `schemathesis==${version}`], {
      stdio: 'pipe',
    })
    writeFileSync(whole, '')
  } catch (error) {
    throw new Missing(`Schemathesis needs python3 with venv and PyPI (${String(error)})`)
  }
  return file
}

type Options = {
  /** Address of an OpenAPI document. */
  readonly document: string
  readonly key: string
  /** Generated requests per operation and phase, beside those of its coverage phase. */
  readonly examples: number
  readonly ms: number
}

/** No answer is a fault of the server, and every one is what its schema says; the same requests every time. */
export async function schemathesis({ document, key, examples, ms }: Options): Promise<Verdict> {
  const checks = 'not_a_server_error,response_schema_conformance'
  const bounds = ['--max-examples', String(examples), '--request-timeout', '60']
  // It cannot write RDF Patch.
  const steady = [
    '--exclude-method',
    'PATCH',
    '--generation-deterministic',
    '--suppress-health-check',
    'all',
    '--no-color',
  ]
  const run = promisify(execFile)(
    program(),
    ['run', document, '--checks', checks, ...bounds, ...steady, '-H', `X-API-Key: ${key}`],
    // It keeps a folder of its own where it is started.
    { timeout: ms, maxBuffer: 64 * 2 ** 20, cwd: cache() },
  )
  return run.then(
    ({ stdout }) => ({ holds: true, output: stdout }),
    (error: unknown) => {
      if (!(error instanceof Error) || !('stdout' in error)) throw error
      return { holds: false, output: `${error.message}\n${String(error.stdout)}` }
    },
  )
}

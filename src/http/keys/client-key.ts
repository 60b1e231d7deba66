/** The API key that a command of ours knocks with. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WrongUsage } from '../../errors.ts'

/**
 * `PLATFORM_API_KEY`, else the key that the platform made for itself in `PLATFORM_DATA_DIR`. Throws `WrongUsage` when there
 * is neither.
 */
export async function clientKey(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const given = environment['PLATFORM_API_KEY']
  if (given) return given
  const file = join(environment['PLATFORM_DATA_DIR'] ?? './data', 'api-key')
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (cause) {
    const message = `no API key: give --key or PLATFORM_API_KEY (there is no ${file})`
    throw new WrongUsage(message, { cause })
  }
}

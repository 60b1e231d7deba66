/** `npm run profile`: checks a profile, shows what records become by it, writes its example queries. */

import { run } from './command.ts'

const { code, out, complaint } = await run(process.argv.slice(2))
process.stdout.write(out)
process.stderr.write(complaint)
process.exitCode = code

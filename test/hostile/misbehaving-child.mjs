// Stands in for the process that reads inputs: it does what an input says.
const kept = []
process.on('message', ({ input }) => {
  if (input.includes('hang')) while (true) kept.length = 0
  if (input.includes('wait')) return
  if (input.includes('heap')) while (true) kept.push(Array.from({ length: 1e5 }, () => ({})))
  if (input.includes('bytes')) kept.push(new Uint8Array(300 << 20).fill(1))
  if (input.includes('exit')) process.exit(7)
  const failure = input.includes('bad') ? 'Error: it is bad' : null
  process.send({ failure, peak: process.resourceUsage().maxRSS * 1024 })
})
process.send('ready')

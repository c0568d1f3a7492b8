/** Lets the browser paint and take input, then goes on as soon as possible. */
export function yieldToPage(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** Waits until the browser has painted what is drawn by now. A hidden page paints nothing, so this waits until it is shown. */
export function untilPainted(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => void yieldToPage().then(resolve)));
}

import { createApp } from "./app.js";

const server = createApp().listen(Number(process.env.PORT ?? 8080), () => {
  console.log(`orders-api listens on port ${server.address().port}`);
});

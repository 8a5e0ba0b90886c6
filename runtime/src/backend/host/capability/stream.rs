use crate::backend::host::HostBackend;
use crate::backend::host::stream::DEFAULT;
use crate::backend::{StreamHandle, Streams};
use crate::error::{Error, Result};

const WAITING: &str = "synchronise after the capture has ended";

impl Streams for HostBackend {
    fn synchronize(&self) -> Result<()> {
        const NAME: &str = "synchronize";
        let mut state = self.gate.enter(NAME)?;
        if let Some(stream) = state.streams.any_capturing() {
            state.refuse_if_capturing(NAME, stream, WAITING)?;
        }
        state.run_all()
    }

    fn synchronize_stream(&self, stream: StreamHandle) -> Result<()> {
        const NAME: &str = "synchronize_stream";
        let mut state = self.gate.enter(NAME)?;
        let stream = state.stream(NAME, stream)?;
        state.refuse_if_capturing(NAME, stream, WAITING)?;
        state.finish(stream)
    }

    fn create_stream(&self, priority: Option<i32>) -> Result<StreamHandle> {
        let mut state = self.gate.enter("create_stream")?;
        let handle = state.handle();
        state.streams.create(handle, priority.unwrap_or(0));
        Ok(StreamHandle::new(handle))
    }

    unsafe fn destroy_stream(&self, stream: StreamHandle) -> Result<()> {
        const NAME: &str = "destroy_stream";
        let mut state = self.gate.enter(NAME)?;
        let number = state.stream(NAME, stream)?;
        if number == DEFAULT {
            return Err(Error::InvalidArgument {
                operation: NAME,
                what: "the stream".into(),
                found: "the default stream".into(),
                expected: "a stream that was created".into(),
            });
        }
        if let Some(capture) = state.streams.live(number).and_then(|stream| stream.capture) {
            if state.captures.get(&capture).is_some_and(|capture| capture.origin == number) {
                state.captures.remove(&capture);
                state.streams.leave_capture(capture);
            } else {
                state.invalidate(capture, "a stream that took part was destroyed");
            }
        }
        state.streams.destroy(number);
        Ok(())
    }

    fn is_stream_idle(&self, stream: StreamHandle) -> Result<bool> {
        const NAME: &str = "is_stream_idle";
        let mut state = self.gate.enter(NAME)?;
        let stream = state.stream(NAME, stream)?;
        state.refuse_if_capturing(NAME, stream, "ask after the capture has ended")?;
        let end = state.streams.end_of(stream);
        state.poll(end)
    }
}
